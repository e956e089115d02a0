"""What the book proves and shows with `uatlib`: statements that run, figures, live pictures, recorded experiments.

statements         `get("yun2020:lem-8").verify()`: each numbered result, run and checked
yun2020, ...       the statements of a source, one module a chapter; its experiments
registry, damages  what a statement is, and ways to build it wrong; `overview` shows all of a source on a page
figures, live      arrays in, figure out; pictures that the page itself computes
claims             what the unseen cells of pages read off explorers, to hold the prose true
records, training  runs that take longer than a build may; what experiments share that train networks
"""
