"""What the head and the foot of a page, and the files beside it, tell the world.

Address and version, who wrote it and how to cite it, what is new, cards and tags for who links to it, what search
engines read, the page for addresses that lead nowhere.
"""
