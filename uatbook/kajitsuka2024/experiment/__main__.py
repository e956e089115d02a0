"""The command: python -m uatbook.kajitsuka2024.experiment eng.train --device cuda."""

from .train import main

main()
