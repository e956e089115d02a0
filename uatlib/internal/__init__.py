"""What the modules share, and the book takes too; no door: names here may change without a word.

shapes             what an array holds, axis by axis
building           what every `build` asks of its arguments, and the grid for an error
layer_runs         what of layers every certificate runs and counts, and which layers are those of a paper
integrals          the distance d_p by three rules, each with its own error
measured           what a check has measured
certificate_html   a certificate as HTML; `formula_html` sets plain formulas, `number_text` numbers and lists of them
files, writing     models as JSON with a checksum; a file that is written whole or not at all
command_line       what the commands of `python -m uatlib` share
mapped             a function over many cases, here or by an executor; `progress` shows how far a long run is
"""
