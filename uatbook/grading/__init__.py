"""A class is graded by one command: `python -m uatlib grade FOLDER --set week1.toml --seed S --out grades.csv`.

sandbox        runs the code of a submission alone, where it reaches nothing that counts, and hands back plain data
inside         what runs there; `shell` is what a notebook has beside Python
kept           what is done, so that a run which was ended goes on
submissions    what a folder of submissions holds: notebooks, programs, answers exported by a page
students       whose submission is whose: names of files, a class list, the seeds of notebooks
sets           the exercises of a week, as a TOML file
grades         submissions to points, a table, and a page of feedback for each student
release        the notebooks that are handed out: plain, for otter-grader, or an autograder for Gradescope
command        the two commands, `release` and `grade`
"""
