"""Cells: what has to run, in which kernel, and what was measured of them; the report of a build.

Other figures that were measured, off the build, are read from their records.
"""
