"""What the chapters say after their explorers, read off the pages' own data."""

import itertools
import math
import re
from fractions import Fraction
from pathlib import Path

import pytest
from page_explorers import PAGES, explorers, live_pictures


def readouts(page: str, name: str) -> dict[tuple[str, ...], str]:
    """The read-out at each setting, values written as the controls write them."""
    folder = "library" if page.startswith("more-") else "chapters"
    (explorer,) = (e for e in explorers(f"{folder}/{page}") if e.id == f"explorer-{name}")
    settings = itertools.product(*(c["texts"] for c in explorer.controls))
    return {at: explorer.pack["texts"][text] for at, (_, text) in zip(settings, explorer.pack["index"], strict=True)}


def numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?", text)]


def test_every_explorer_is_read_here():
    read = set(re.findall(r'readouts\("([\w-]+)", "([\w-]+)"\)', Path(__file__).read_text(encoding="utf-8")))
    found = {(Path(page).name, e.id.removeprefix("explorer-")) for page in PAGES for e in explorers(page)}
    assert found <= read


def test_only_a_dictionary_with_equal_tokens_halves_the_error():
    said = readouts("start", "dictionary")
    sides = ("2", "4", "8", "16", "32")
    found = {at: numbers(text.split(";")[1]) for at, text in said.items()}
    for more, fewer in itertools.pairwise(reversed(sides)):
        factor = {equal: found[fewer, equal][0] / found[more, equal][0] for equal in ("given up", "filed too")}
        assert math.isclose(factor["given up"], math.sqrt(2), rel_tol=0.03)
        assert math.isclose(factor["filed too"], 2, rel_tol=0.03)
        assert found[fewer, "filed too"][1] > 1.8 * found[more, "filed too"][1]
    for N in sides:
        assert found[N, "given up"][1] > 0.98
        assert said[N, "given up"].startswith(f"{int(N) * (int(N) - 1)} numbers filed, 1/{N} of the square is grey; ")
        assert said[N, "filed too"].startswith(f"{int(N) ** 2} numbers filed, nothing is grey; ")


def test_half_the_gap_needs_twice_the_factor():
    weight = {at: numbers(text)[1] for at, text in readouts("ground", "temperature").items()}
    first = {gap: min(int(f) for f, g in weight if g == gap and weight[f, g] < 0.01) for gap in ("0.2", "0.1")}
    assert first == {"0.2": 32, "0.1": 64}
    assert weight["16", "0.4"] < 0.01
    assert 0.3 < weight["16", "0.05"] < 1 / 3


def test_answers_follow_their_tokens_unless_places_are_added():
    said = readouts("ground", "shuffle")
    orders = {at[0] for at in said}
    assert orders == {" ".join(order) for order in itertools.permutations("123")}
    for (order, kind, add), text in said.items():
        exact, gap = "=" in text.split("|")[2], float(Fraction(text.split()[-1]))
        assert exact == (kind == "hardmax")
        if add == "False" or order == "1 2 3":
            assert gap == 0 if exact else gap < 1e-30
        else:
            assert gap > 0.5


def test_each_number_is_moved_by_one_layer():
    said = readouts("yun-quantization", "staircase")
    assert said["5/8", "4", "cell 3"] == "t = 5/8 has become 1/2, moved by cell 2"
    assert said["1/4", "4", "cell 3"] == "t = 1/4 is where it was"
    assert said["1/4", "3", "cell 2"] == "t = 1/4 has become 0, moved by cell 0"
    for (t, N, layer), text in said.items():
        assert text.count(",") <= 1
        if layer in {f"cell {k}" for k in range(int(N), 4)}:
            assert text.startswith(f"there is no {layer}; ")
            text = text.split("; ")[1]
        if t in ("1", "-1/4") and "moved by" in text:
            assert text == f"t = {t} has become -{int(N) ** 2}, moved by clip"


def test_the_last_digits_are_the_tokens_and_the_largest_number_tells_all():
    for (N, tokens), text in readouts("yun-contextual-mapping", "slides").items():
        landed, digits = (re.findall(r"\d+", part.split("=")[-1].split(":")[-1]) for part in text.split(";"))
        assert digits == tokens.split()
        found, rest = [], int(landed[-1])
        for _ in range(3):
            found.append(rest % int(N))
            rest = (rest - found[-1]) // int(N) + found[-1]
        assert [str(k) for k in reversed(found)] == tokens.split()
    said = readouts("yun-contextual-mapping", "slides")["10", "0 1 3"]
    assert said.startswith("O = 30, 291, 2883; last digits in base 10: 0, 1, 3")


def test_sentinels_near_zero_fail():
    said = readouts("yun-contextual-mapping", "sentinel-at")
    inside = {at: int(re.search(r"(\d+) ids of such pairs", text)[1]) for at, text in said.items()}
    failing = {sentinel: {N for s, N in inside if s == sentinel and inside[s, N]} for sentinel, _ in inside}
    assert failing == {"−δ²": set("234"), "−δ": set("234"), "−1": set("34"), "−1/δ": set(), "−1/δ²": set()}


def test_landing_places_attain_the_upper_bound_for_two_tokens_and_keep_off_the_lower_one():
    said = readouts("more-yun", "landing")
    for (N, n, d), text in said.items():
        D, count = int(N) ** int(d), int(n)
        least, most = D ** (count - 1) * (D - 1), D**count * (D - 1) - (D - 1) ** 2
        if count > D:
            assert text == f"D = {D}: no {n} different tokens; bounds {least} and {most}"
            continue
        first, low, high = text.split("\n")
        assert numbers(first)[1:] == [math.comb(D, count)] * 2
        (small, times, below), (large, part, above) = numbers(low), numbers(high)
        assert (below, above) == (least, most)
        assert times > count - 1
        assert part <= 1
        if count == 2:
            assert (small, large) == (least + 1, most)
    assert said["4", "3", "1"] == said["2", "3", "2"]
    finer = [numbers(said[N, "3", "2"].split("\n")[2])[1] for N in "234"]
    assert finer == sorted(finer)
    assert finer[-1] > 0.99


def test_answers_that_look_like_ids_go_wrong_unless_repaired():
    said = readouts("yun-value-mapping", "accident")
    last = {at[:2]: text for at, text in said.items() if at[2] == "return"}
    assert {at for at, text in said.items() if "no layer" in text} == {
        at for at in said if at[1:] == ("False", "return")
    }
    wrong = {answer: text.split("; ")[1] for (answer, _), text in last.items() if "WRONG" in text}
    assert wrong == {"53/4": "after id 27/2: 1/2, 3/4", "27/2": "after id 27/2: 3/4, 3/4"}
    assert {repaired for (_, repaired), text in last.items() if "WRONG" in text} == {"False"}
    assert said["27/2", "True", "id 13"].startswith("after id 13: -3/2, 27/2")


def test_four_relus_are_right_off_the_bands():
    for (layer, side, width), text in readouts("yun-softmax", "ramps").items():
        bands = re.findall(r"\[(\S+), (\S+)\)", text)
        assert len(bands) >= 1, layer
        for ends in bands:
            low, high = map(Fraction, ends)
            assert high - low == Fraction(width)
            jump = high if side == "below" else low
            assert (jump * 4).denominator == 1, "a jump lies at a multiple of 1/4"
    clip = readouts("yun-softmax", "ramps")["clip", "below", "1/8"]
    assert clip == "equal outside [-1/8, 0) and [7/8, 1)"


def test_errors_grow_by_the_same_factors_at_every_scale():
    error = {at: numbers(text)[0] for at, text in readouts("yun-softmax", "growth").items()}
    assert error["0 1 3", "500"] == 0.0027
    # e^(-beta/2) is squared; D^(2n+1) is not.
    assert math.isclose(error["0 1 3", "1000"], error["0 1 3", "500"] * math.exp(-500 / 32), rel_tol=0.05)
    for scale in ("375", "500", "750", "1000"):
        final = {tokens: error[tokens, scale] for tokens in ("0 3 3", "0 1 3", "0 1 2", "1 2 3")}
        assert min(final, key=final.get) == "0 3 3"
        assert max(final, key=final.get) == "1 2 3"


def test_ids_are_right_from_six_to_eight_tenths_of_the_proved_scale():
    said = readouts("yun-softmax", "melting")
    for grid in {at[0] for at in said}:
        error = {share: numbers(text)[-1] for (name, share), text in said.items() if name == grid}
        assert error["1/2"] > 0.5 > error["5/6"]
        falling = [error[share] for share in ("1/2", "2/3", "3/4", "5/6", "1", "7/6")]
        assert falling == sorted(falling, reverse=True)


def test_the_repeated_columns_cost_most_in_the_end():
    for text in readouts("yun-theorem-2", "terms").values():
        proved, measured = numbers(text)[-2:]
        assert measured < 0.6 * proved


def test_strips_get_thinner_and_never_shorter():
    said = readouts("yun-theorem-2", "far")
    widths = ["1/32", "1/16", "1/8"]
    share = {made: [numbers(said[w, made, "above"])[1] for w in widths] for made in ("as printed", "larger M")}
    # Both strips, two thirds of the band; and the right one.
    assert all(0.6 < part < 0.7 for part in share["as printed"])
    assert all(0.2 < part < 0.3 for part in share["larger M"])
    others = {text for (_, made, side), text in said.items() if side == "below" or made not in share}
    assert others == {"0 everywhere in this window"}


def test_one_sequence_of_two_is_lifted_twice():
    said = readouts("yun-theorem-3", "places")
    assert {at for at, text in said.items() if "jumps twice" in text} == {("2", "0")}
    assert len({number for text in said.values() for number in numbers(text)[:2]}) == 2 * len(said)


def test_the_average_is_fooled_by_equal_sums_whatever_the_weight():
    said = readouts("yun-cheaper-mixers", "fool")
    confused = {at for at, text in said.items() if text.endswith("CONFUSED")}
    assert confused == {(a, b, A) for a, b in (("2", "4"), ("4", "2"), ("3", "3")) for A in ("-2", "1")}
    assert {at[:2] for at, text in said.items() if text.endswith("the same tokens")} == {("1", "5"), ("5", "1")}
    assert said["2", "4", "1"].startswith("given: 0 + 1 · 6/3 = 2; yours: 0 + 1 · 6/3 = 2;")


def test_beads_carry_below_base_5_and_collide_in_base_2():
    said = readouts("yun-cheaper-mixers", "carry")
    twins = {at: text.split("the same as with ")[1] for at, text in said.items() if "the same as" in text}
    assert twins == {("0, 0, 2", "2"): "1, 1, 1", ("1, 1, 1", "2"): "0, 0, 2"}
    assert said["0, 0, 2", "2"].startswith("1 + 1 + 1 + 4 = 7,")
    assert said["1, 1, 1", "2"].startswith("1 + 2 + 2 + 2 = 7,")
    for (others, base), text in said.items():
        counts = [f"0, {others}".count(str(k)) for k in range(3)]
        digits = text.split(";")[0].split(" ")[-1][::-1].ljust(3, "0")
        carried = digits != "".join(map(str, counts))
        assert carried == any(count >= int(base) for count in counts)
        if base == "5" or (others, base) in (("0, 0, 0", "3"), ("0, 0, 0", "4")):
            assert carried == (base != "5")


def test_equal_rows_of_a_table_are_found_out():
    said = readouts("yun-cheaper-mixers", "projection")
    shared = {at: [int(k) for k in numbers(text)] for at, text in said.items()}
    assert len(said) == 18
    for (table, n, N), (several, worse) in shared.items():
        assert (several > 0) == (table == "two rows equal")
        assert (worse > 0) == (table == "two rows equal" and (n, N) == ("3", "5"))


def test_the_rate_decides_which_mixer_is_worst():
    said = readouts("yun-trained-mixers", "dots")
    shares = {
        at: {re.match(r"\w+", line)[0]: numbers(line.split(": ")[1]) for line in text.split("\n")}
        for at, text in said.items()
    }
    for task in ("mean", "near"):
        *others, worst = sorted(shares[task, "0.1"], key=lambda mixer: -sum(shares[task, "0.1"][mixer]))
        assert worst == "attention"
        assert said[task, "the best of each"].startswith("attention at 0.01: ")
        assert shares[task, "the best of each"]["attention"][0] > 0.998
        assert shares[task, "0.1"]["attention"][1] < min(shares[task, "0.1"][mixer][0] for mixer in others)
    assert min(shares["far", "0.1"], key=lambda mixer: sum(shares["far", "0.1"][mixer])) == "convolution"
    attention, convolution = (shares["lookup", "0.1"][mixer] for mixer in ("attention", "convolution"))
    assert attention[0] < convolution[0] < convolution[1] < attention[1] < 0.55
    assert all(shares["lookup", "0.1"][mixer][0] > attention[1] for mixer in ("average", "bilinear"))
    assert all(shares[task, "0.003"]["bilinear"][1] < 0.6 for task in ("mean", "near", "far", "lookup"))
    best = {task: shares[task, "the best of each"]["bilinear"] for task in ("mean", "near", "far", "lookup")}
    assert {task for task in best if best[task][1] == 1} == {"mean", "near", "far"}
    assert best["near"][0] < 0.53


def test_only_the_look_up_cares_about_the_number_of_tokens():
    said = readouts("yun-cost", "stacks")
    lines = {at: [numbers(line.replace(",", "")) for line in text.split("\n")] for at, text in said.items()}
    for (N, n, d), (first, second, third) in lines.items():
        assert [first, second] == lines[N, "2", d][:2]
        if N == "32" and d != "1":
            for (_, factor), power in ((first, 1), (second, int(d)), (third, int(d) * int(n))):
                assert abs(factor / 2**power - 1) < 0.05
    assert lines["2", "3", "1"][2][0] == 3


def test_ids_go_wrong_where_floats_thin_out():
    said = readouts("yun-precision", "around")
    wrong = {(n, system): [] for _, n, system in said}
    for (D, n, system), text in said.items():
        if "WRONG" in text:
            wrong[n, system].append(int(D))
    grids = [5, 6, 8, 9, 16, 17, 28, 40, 99]
    first = {("2", "float32"): 17, ("3", "float32"): 9, ("4", "float32"): 6, ("3", "float64"): 99, ("4", "float64"): 40}
    assert wrong == {at: [D for D in grids if first.get(at, 100) <= D] for at in wrong}
    spacing = {D: re.search(r"floats there are (\S+) apart", said[D, "2", "float32"])[1] for D in ("16", "17")}
    assert spacing == {"16": "1", "17": "2"}
    *_, apart, error = numbers(said["99", "3", "float32"].replace(",", ""))
    assert error > 20 * apart
    for text in (said["17", "2", "float32"], said["9", "3", "float32"]):
        assert text.endswith("WRONG by 2")


def test_finer_grids_blur_the_answers():
    said = {at: numbers(text) for at, text in readouts("yun-precision", "blurring").items()}
    for system in ("float32", "float64"):
        errors = [said[N, system][0] for N in ("2", "4", "8", "16", "32")]
        assert errors == sorted(errors)
        assert len(set(errors)) == 5
        assert all(error < ulp < 10 * error for (_, at), (error, ulp, _) in said.items() if at == system)
    above = {N for (N, system), (error, _, proved) in said.items() if error > proved}
    assert above == {"32"}
    assert said["32", "float64"][0] < said["32", "float64"][2] / 1e6


def test_rings_stay_from_four_tokens_on():
    said = readouts("kajitsuka-hardmax-fails", "lines")
    rings = {at: int(text.split()[-1]) if text.startswith("rings") else 0 for at, text in said.items()}
    few = {at for at, count in rings.items() if count == 0}
    every = {"sum", "sum, largest", "sum, largest, smallest"}
    expected = {("2", V, heads) for V in "5678" for heads in every} | {("4", "5", heads) for heads in every}
    assert few == expected | {("3", V, "sum, largest, smallest") for V in "5678"}
    assert rings["4", "6", "sum, largest, smallest"] == 2


def test_between_the_three_points_the_difference_changes_its_sign():
    said = readouts("kajitsuka-boltzmann", "between")
    difference = {at: numbers(text)[-1] for at, text in said.items()}
    ours, first = "{1, 2, 5, 6} and {1, 3, 4, 6}", "{1, 2, 4} and {1, 3, 4}"
    assert difference[ours, "0"] == 0
    assert difference[ours, "1"] > 0 > difference[ours, "1.5"]
    assert difference[ours, "1.125"] > 0 > difference[ours, "1.25"] == -0.0288
    assert difference[ours, "-1"] < 0 < difference[ours, "-2"]
    assert difference[first, "0"] < 0 < difference[first, "2"]
    assert difference[first, "-2"] > 0


def lowest(others: list[float]) -> float:
    """Where the value of the Boltzmann operator is lowest as a function of one more entry."""

    def value(t: float) -> float:
        row = [*others, t]
        return sum(u * math.exp(u) for u in row) / sum(map(math.exp, row))

    return min((k / 1000 for k in range(-6000, 1000)), key=value)


def test_the_lowest_point_lies_on_the_least_threshold_or_right_of_it():
    (picture,) = live_pictures("chapters/kajitsuka-boltzmann")
    lines = picture.spec["data"]["thresholds"]
    assert lines["falls"]["2"][1] == pytest.approx(1.2785, abs=1e-4)
    assert lines["falls"]["3"][1] == pytest.approx(1.4631, abs=1e-4)
    for n, (printed, least) in lines["falls"].items():
        assert printed == pytest.approx(math.log(int(n)) + 1)
        assert printed > least
    for other in (-4, -1, 0.5):
        assert lowest([other]) == pytest.approx(other - lines["falls"]["2"][1], abs=2e-3)
    assert lowest([0, -1.463]) == pytest.approx(-1.463, abs=2e-3)
    assert lowest([0, -30]) == pytest.approx(-1.278, abs=2e-3)
    assert all(lowest([0, k / 4]) > -1.4631 - 2e-3 for k in range(-40, 1))


def test_collisions_move_to_the_right_and_gaps_fall():
    said = readouts("kajitsuka-boltzmann", "collisions")
    at = {n: float(re.search(r"collision at s = ([\d.]+)", said[n, "1"])[1]) for n in "2348"}
    assert list(at.values()) == sorted(at.values())
    assert (at["2"], at["3"], at["4"]) == (0.8814, 1.2135, 1.2875)
    assert at["8"] < 1.317
    for (n, s), text in said.items():
        assert (">" in text) == (float(s) < at[n])
    gap = {s: numbers(text)[0] for (n, s), text in said.items() if n == "4"}
    for s in (6, 7):
        assert abs(math.log(gap[str(s)] / gap[str(s + 1)]) - 1 + math.log((s + 1) / s)) < 0.01
    for (n, s), text in said.items():
        # The sharp bound begins where the vectors collide, and is the gap to the digits shown.
        assert ("sharp bound none" in text) == (float(s) < at[n])
        assert "none" in text or numbers(text)[0] == numbers(text)[1] > 0


def test_shadows_meet_along_rows_columns_and_diagonals():
    said = readouts("kajitsuka-one-layer", "shadows")
    failing = {name: {at[1] for at, text in said.items() if at[0] == name and "NOT" in text} for name, _ in said}
    assert failing["9 on a lattice"] == {"0", "45", "90", "135"}
    assert failing["5 tokens"] == {"15", "45", "52.5", "90", "135"}
    assert all(0 < numbers(said["5 tokens", angle])[0] < 0.02 for angle in ("15", "52.5"))


def test_the_mean_is_best_for_two_tokens_and_useless_for_four():
    said = readouts("kajitsuka-one-layer", "margin-at")
    margin = {at: numbers(text)[0] for at, text in said.items()}
    two = {beta: value for (size, beta), value in margin.items() if size == "V = 4, n = 2"}
    assert max(two.values()) == two["0"] == 0.5
    for size in ("V = 5, n = 3", "V = 6, n = 4"):
        assert margin[size, "0"] == 0
        assert margin[size, "0.02"] > 0
        assert margin[size, "-0.02"] > 0
    same = [said["V = 6, n = 4", beta] for beta in ("-0.1", "-0.2", "-0.3")]
    contexts = "in (2, 3, 5, 6) and (2, 3, 4, 6)"
    assert same == [f"margin 0.00026: token {t} {contexts}" for t in (6, 3, 2)]


def test_lemma_6_gives_away_least_where_the_others_pull_the_value_down():
    times = {at: numbers(text)[-1] for at, text in readouts("more-kajitsuka", "given-away").items()}
    places = ("-8", "-4", "-3", "-2", "-1", "0")
    for n, step in {at[1:] for at in times}:
        row = {x: times[x, n, step] for x in places}
        # One more than W((n - 1)/e) below the top.
        assert min(row, key=row.get) == {"4": "-2", "16": "-2", "64": "-3"}[n]
        assert min(row.values()) > 1
        assert times["0", n, "2"] > times["0", n, "0.01"]
    assert all(abs(times[x, "64", "0.01"] - 3) < 0.1 for x in ("-8", "0"))


def test_more_tokens_leave_more_good_directions():
    said = readouts("more-kajitsuka", "directions")
    good = {at: numbers(text)[0] for at, text in said.items()}
    for d, part in {at[1:] for at in good}:
        row = [good[V, d, part] for V in ("4", "9", "16", "27")]
        assert row[0] < row[1] < row[-1]
        assert row[-1] > 50
    assert (good["4", "2", "as in the lemma"], good["27", "2", "as in the lemma"]) == (96.7, 99.8)
    assert all(numbers(text)[-1] > 1 for text in said.values())
    for (V, _, part), text in said.items():
        proved = 100 - 200 / math.pi * int(V) / (int(V) + 1)
        assert ("nothing" in text) == (part != "as in the lemma")
        assert "nothing" in text or abs(numbers(text)[1] - proved) < 0.51


def test_printed_encodings_break_a_promise_in_every_dimension():
    for (d, n), text in readouts("more-kajitsuka", "marks").items():
        printed, repaired = text.split("\n")
        assert "NOT" not in repaired
        far, long = printed.split(";")
        assert ("NOT" in far) == (int(d) < 4)
        assert ("NOT" in long) == (int(d) > 1)
        assert numbers(far)[0] == pytest.approx(min(2 * math.sqrt(int(d)) - 1.98, 1.98), abs=0.005)
        assert numbers(long)[0] == pytest.approx(2 * int(n) * math.sqrt(int(d)) + 0.99, rel=1e-3)


def test_float32_loses_labels_first_and_the_positive_side_is_harder():
    said = readouts("kajitsuka-memorisation", "recalled")
    lost = {at: int(re.search(r"(\d+) labels", text)[1]) for at, text in said.items() if text.endswith("MISTAKEN")}
    at_32 = {"-2", "-1.5", "-1", "0.7", "1", "1.5", "2"}
    assert set(lost) == {("float32", beta) for beta in at_32} | {("float64", beta) for beta in ("-2", "1.5", "2")}
    assert [lost["float32", beta] for beta in ("1", "-2", "2")] == [27, 43, 36]
    assert 1e11 < numbers(said["float32", "2"])[1] < 1e12
    gap = {at[1]: numbers(text)[0] for at, text in said.items() if at[0] == "float64"}
    assert (gap["1"], gap["-1"]) == (6.2e-12, 1.9e-09)
    assert abs(gap["1"] / (4 / 24 * math.exp(-24)) - 1) < 0.02
    assert abs(gap["-1"] / (3 / 24 * math.exp(-18)) - 1) < 0.02
    assert numbers(said["float32", "0.001"])[1] < 0.03
    assert 0.3 < numbers(said["float32", "0.5"])[1] < 0.5


def test_the_diagonal_costs_more_than_the_cells():
    said = readouts("kajitsuka-universality", "blocks")
    error = {at: numbers(text)[-1] for at, text in said.items()}
    assert 0.45 < error["8", "keep"] / error["4", "keep"] < 0.5
    assert 0.65 < error["8", "drop"] / error["4", "drop"] < 0.7
    assert all(error[N, "keep"] < error[N, "drop"] for N, _ in said)


def test_a_large_penalty_needs_a_negative_scale():
    said = readouts("kajitsuka-universality", "outside")
    width = {at: 0 if text.endswith("0 for all x₁") else numbers(text)[-1] for at, text in said.items()}
    assert all((width[P, "-1"] > 0) == (int(P) < 20) for P, _ in said)
    assert max(width[P, "-1"] for P, _ in said) < 0.05
    assert width["35", "1"] > width["20", "1"] > width["10", "1"] > width["5", "1"] > 0.1


def test_a_newcomer_in_the_middle_spoils_the_mean():
    said = readouts("kajitsuka-masks", "margin-at")
    margin = {at: numbers(text)[0] for at, text in said.items()}
    n, up_to_n = "n tokens", "1 to n tokens"
    assert margin["V = 4, n = 3", n, "0"] == 0.33
    assert margin["V = 4, n = 3", up_to_n, "0"] == 0
    assert margin["V = 4, n = 2", up_to_n, "0"] == 0.5
    assert all(value <= margin[size, n, beta] for (size, seen, beta), value in margin.items() if seen == up_to_n)
    assert "token 4" in said["V = 4, n = 3", up_to_n, "0.3"]


def test_training_brings_equal_labels_together_most_where_six_heads_make_the_number():
    said = {at: numbers(text) for at, text in readouts("kajitsuka-rank-1", "lines").items()}
    for labels in ("1", "2", "3"):
        assert said["the theorem's", labels][1] == 0
        for network in ("the theorem's", "untrained"):
            assert abs(said[network, labels][0] / (192 - 20) - 2 / 3) < 0.1
        one, keys, six = (said[name, labels] for name in ("1 layer", "1 layer, own keys", "6 heads, 1 number"))
        # All stop as soon as nine of ten are right.
        assert 10 <= min(one[1], keys[1], six[1]) <= max(one[1], keys[1], six[1]) <= 19
        assert six[0] < min(one[0], keys[0])
        assert max(one[0], keys[0]) < said["untrained", labels][0]
        assert abs(one[0] - keys[0]) < 0.15 * one[0]


def test_weights_that_were_trained_forgive_rounding():
    said = {at: numbers(text) for at, text in readouts("kajitsuka-rank-1", "short").items()}
    needed = {network: least for (network, _), (_, _, least, _) in said.items()}
    assert needed.pop("the theorem's") == 18
    assert max(needed.values()) <= 18 / 3
    wrong = {int(bits): text[0] for (network, bits), text in said.items() if network == "the theorem's"}
    assert all(wrong[bits] > 0.6 * 192 for bits in (2, 4, 6))
    assert wrong[17] > wrong[16] > wrong[18] == 0
    assert said["6 layers", "6"][0] <= 4


def test_small_p_forgives_most():
    for (area, p), text in readouts("writing-explorers", "strip").items():
        assert text == f"d_{p} = {float(area) ** (1 / int(p)):.3f}; the sup distance is 1"


def test_a_pair_on_borders_of_cells_is_heard_by_two_or_by_four():
    """Off the borders one cell takes over, and the bars of the query are the same for each key."""
    said = {at: numbers(text) for at, text in readouts("liu-cross-attention", "heard").items()}
    weight = {at: found[2] for at, found in said.items()}
    assert weight["0", "0", "200"] == weight["0.25", "0", "200"] == 0.25
    assert 0.4 < weight["0", "-0.4", "200"] == weight["0.25", "-0.4", "200"] <= 0.5
    assert weight["0.1", "-0.4", "200"] > 0.9
    keys = [f"{z / 20:g}" for z in range(-2, 7)]
    for R in ("40", "200"):
        ratios = [weight[key, "-0.4", R] / weight[key, "0", R] for key in keys]
        assert max(ratios) - min(ratios) < 0.2 * min(ratios)  # of numbers of two digits
    # Away from the query it glides: nearly even steps for a small R, for a large one most of the way at the border.
    answers = {R: [said[key, "-0.4", R][0] for key in keys[2:]] for R in ("40", "200")}
    steps = {R: [a - b for a, b in itertools.pairwise(found)] for R, found in answers.items()}
    assert min(steps["40"]) > 0.5 * max(steps["40"])
    assert min(steps["200"]) < 0.1 * max(steps["200"])


def test_a_pair_is_heard_from_as_far_as_its_error():
    said = {at: numbers(text) for at, text in readouts("liu-cross-attention", "closeness").items()}
    cells = ("2", "4", "8", "16")
    for (P, R), found in said.items():
        error, mean_distance = found[:2]
        assert error <= mean_distance
        if R == "R proved":
            assert mean_distance <= found[2] == 2 / int(P)
            assert error == pytest.approx(1 / int(P), rel=0.02)  # half a cell
    assert said["8", "R = 0.1 P²"][0] > said["4", "R proved"][0]
    assert all(abs(said[P, "R proved"][0] - said[P, "R = 20 P²"][0]) < 0.02 for P in cells)
    stuck = [said[P, "R = 20"][0] for P in cells]
    assert stuck[1] < 0.6 * stuck[0]
    assert 0.9 * stuck[2] < stuck[3] < stuck[2]
    assert stuck[3] > 2 * said["16", "R proved"][0]


def test_a_weight_takes_a_cell_from_nothing_to_the_square():
    said = readouts("liu-partitions", "weigh")
    share = {float(w): numbers(text)[1] for (w,), text in said.items()}
    inside = {float(w): text.endswith("cell 1") for (w,), text in said.items()}
    assert list(share.values()) == sorted(share.values())
    assert (share[-0.2], share[0.65]) == (0, 100)
    # A light site lies in the cell of another while it still owns some.
    assert [w for w in share if share[w] > 0 and not inside[w]] == [-0.15]


def test_cells_stand_in_the_order_of_the_slopes():
    # Lines 1 and 3 have the slopes -1 and 1; where two are alike only the higher one has a cell.
    for (slope, height), text in readouts("liu-partitions", "turn").items():
        found = [int(k) for k in numbers(text)]
        slopes = {1: -1.0, 2: float(slope), 3: 1.0}
        assert [slopes[k] for k in found] == sorted({slopes[k] for k in found})
        # Line 3 is x: where line 2 is the same, the cell is that of the smaller number.
        assert (2 in found) == (abs(float(slope)) > 1 or float(height) > 0 or (slope, height) == ("1", "0"))


def test_the_bound_is_nearest_where_two_components_meet():
    for (lines, R), text in readouts("liu-indicator", "weights").items():
        error, bound = numbers(text)[0], numbers(text)[-1]
        assert error <= bound
        N = int(lines[0])
        assert bound == pytest.approx((N - 1) * math.exp(-float(R) / 4), rel=0.01)
        if R == "32":
            assert (error > 0.7 * bound) == (N == 2)


def test_columns_without_a_token_share_alike():
    for (n, _), text in readouts("liu-indicator", "matrix").items():
        cells, column, *rest = text.split(";")
        assert len(numbers(cells)) == int(n)
        assert sum(numbers(column)[1:]) == pytest.approx(1, abs=0.02)
        assert [numbers(part)[0] for part in rest] == ([] if n == "5" else [0.2])


def test_the_printed_precision_is_too_small_below_margin_1():
    for (margin, _, eps), text in readouts("liu-indicator", "precisions").items():
        (R, error), (least, _), (repaired, kept) = (numbers(line) for line in text.split("\n"))
        assert R / repaired == pytest.approx(float(margin) ** 2, rel=0.02)
        assert (error > float(eps)) == (float(margin) < 1)
        assert kept <= float(eps)
        assert least <= repaired


def test_the_least_mean_error_is_where_r_h_squared_is_one():
    mean = {(int(P), int(R)): numbers(text)[1:] for (P, R), text in readouts("liu-self-attention", "melting").items()}
    for P in (4, 8, 16):
        at = {R: numbers_of[0] for (p, R), numbers_of in mean.items() if p == P}
        assert min(at, key=at.get) == P**2
    assert all(found[1] <= found[-1] + 1e-3 for found in mean.values())
    assert mean[16, 1024][-1] == pytest.approx(2 / 16, abs=1e-3)


def test_twice_the_cells_are_sixteen_times_the_weights():
    said = {
        (int(k), bound): numbers(text.replace(",", ""))
        for (k, bound), text in readouts("liu-self-attention", "sized").items()
    }
    for bound, part in (("product", 0.5), ("chain", 1 / 3)):
        for k in (1, 2):
            assert said[2 * k, bound][0] == 2 * said[k, bound][0]
            assert said[2 * k, bound][2] == 4 * said[k, bound][2]
        assert 14 < said[4, bound][3] / said[2, bound][3] < 16
        assert all(0.85 * part < said[k, bound][-1] < part + 0.005 for k in (1, 2, 4))


def test_float32_breaks_first_where_values_ride():
    kept = {at: ": kept" in text for at, text in readouts("more-liu", "rounded").items()}
    assert all(kept[at] for at in kept if at[2] == "float64")
    single = {(float(eps), int(B)) for eps, B, system in kept if system == "float32" and not kept[eps, B, system]}
    # B_0 = 100 leaves 0.1 alone, and 10 breaks first at 0.01.
    assert {eps for eps, B in single if B == 100} == {0.002, 0.004, 0.01, 0.02}
    assert max(eps for eps, B in single if B == 10) == 0.01


def test_a_pole_costs_more_and_more_cells_up_to_the_border_of_l_p():
    cells = {}
    for (sequences, s, p), text in readouts("more-liu", "pole").items():
        if float(s) * float(p) >= 1:
            assert text.endswith(f"f is not in L_{p}, and no head is near it")
            continue
        number, cut, P, *measured = numbers(text.replace(",", ""))
        cells[sequences, s, p] = P
        assert number == pytest.approx(float(s) * float(p))
        built = P ** (1 if sequences == "one" else 2) <= 20_000
        assert text.endswith("too many to be built here") != built
        if built:
            assert measured[-2] <= measured[-1] == 1.5
            if float(s) * float(p) >= 0.5 and cut > 1.5:
                assert measured[-2] == pytest.approx(0.75, rel=0.03)
    assert [cells["one", "0.5", p] for p in ("1", "1.2")] == [54, 297]
    assert cells["one", "0.5", "1.5"] > 300_000


def test_wrong_labels_lower_w_q_at_small_rates_and_raise_it_at_others():
    for (arm, rate), text in readouts("more-liu", "rated").items():
        once, afresh = (numbers(line) for line in text.split("\n"))
        if arm == "wrong labels":
            assert (once[4] < 1) == (float(rate) < 0.003) == (once[5] == 10)
            assert max(afresh[1], afresh[4]) < 1
    once = numbers(readouts("more-liu", "rated")["wrong labels", "0.016"].split("\n")[0])
    assert once[4] == pytest.approx(1.5, abs=0.05)


def test_balls_win_on_points_and_lose_on_the_square():
    for (shape, _), text in readouts("liu-small-domains", "domains").items():
        balls, cells, met, _, error = numbers(text)
        assert met <= cells
        assert error <= 1
        assert (shape, balls <= met) in {("points", True), ("curve", False), ("filled", False), ("square", False)}
        assert (met == cells) == (shape == "square")


def test_a_quarter_of_the_precision_would_do():
    said = {float(Fraction(at)): numbers(text) for (at,), text in readouts("liu-small-domains", "precise").items()}
    assert min(factor for factor, found in said.items() if found[-1] <= 1) == 0.25
    assert said[1 / 256][1] > 1 >= said[1 / 64][1]


def test_the_single_step_is_found_and_one_kink_stays_away():
    said = {at: numbers(text) for at, text in readouts("liu-experiments", "kinks").items()}
    for (target, _, steps), (_, near, of) in said.items():
        assert of == (1 if target == "one step" else 3)
        if target == "one step":
            assert near == (0 if steps == "0" else 1)
        elif target == "staircase" and int(steps) <= 4000:
            assert near == 0
    assert said["staircase", "7", "30000"][1] < 3 == said["staircase", "0", "30000"][1]
    assert said["zigzag", "0", "30000"][0] > 50 * said["zigzag", "7", "30000"][0]


def test_one_key_is_enough_if_the_values_know_their_places():
    said = {(int(k), knows): text for (k, knows), text in readouts("cheng-other-mixers", "few-keys").items()}
    assert len(said) == 25
    for (k, knows), text in said.items():
        assert text.startswith(f"n k = {5 * k} entries in place of n² = 25; ")
        assert text.endswith("none") == ("F" not in knows)


def test_a_token_at_zero_hears_nothing_whatever_the_weights():
    for (t, _, _), text in readouts("cheng-other-mixers", "deaf").items():
        assert text.endswith("none") == (t == "0")
        assert t != "0" or numbers(text) == [0, 0, 0, 0]


def test_powers_up_to_two_less_than_the_tokens_are_fooled():
    said = readouts("cheng-other-mixers", "equal-sums")
    assert {n for n, _ in said} == {"3", "4", "5"}
    for (n, alpha), text in said.items():
        degree = ("t", "t²", "t³", "t⁴").index(alpha) + 1 if alpha[0] == "t" and alpha != "tanh" else math.inf
        assert text.endswith("none") == (degree <= int(n) - 2)


def test_two_bends_reach_four_clusters_and_a_round_one_all():
    told = {at: int(numbers(text)[0]) for at, text in readouts("cheng-other-mixers", "two-bends").items()}
    for (first, second, alpha), count in told.items():
        assert count == (5 if alpha == "gelu" else len(set(re.findall(r"\d", first + second))))
    assert max(count for at, count in told.items() if at[2] == "relu") == 4


def test_gaps_of_a_round_bend_are_much_smaller_and_never_none():
    said = readouts("cheng-other-mixers", "two-bends")
    for (first, second, alpha), text in said.items():
        if alpha == "gelu":
            sharp = said[first, second, "relu"].split("gaps ")[1].split(", ")
            smooth = [float(gap) for gap in text.split("gaps ")[1].split(", ")]
            assert min(smooth) > 0
            pairs = zip(sharp, smooth, strict=True)
            assert all(gap < float(other) / 5 for other, gap in pairs if other != "none")


def test_averages_need_powers_and_hardmax_is_not_helped():
    said = readouts("cheng-condition", "told")
    assert len(said) == 18
    for (name, _, first), text in said.items():
        pairs, nearest = text.split("\n")
        equal = {("average", "nothing"): 3, ("hardmax", "nothing"): 33, ("hardmax", "powers"): 33}.get((name, first), 0)
        assert numbers(pairs) == [equal]
        token, one, same, other, gap = numbers(nearest)
        # Tokens that are equal, or nearly so, are one token in two sets.
        assert token == same
        assert one != other
        assert str(int(token)) in str(int(one))
        assert (gap == 0) == (equal > 0)


def test_the_kernel_matters_in_wide_ramps_only_and_the_error_falls_by_the_root_of_two():
    said = {at: numbers(text.split("\n")[0])[-2:] for at, text in readouts("cheng-condition", "three-stages").items()}
    ids = {at: numbers(text.split("\n")[1]) for at, text in readouts("cheng-condition", "three-stages").items()}
    assert all(found <= claimed <= 1.414 for found, claimed in said.values())
    kernels = ("softmax", "RBF", "average")
    narrow = {int(N): {tuple(said[N, kernel, "narrow"]) for kernel in kernels} for N in ("2", "4", "8")}
    assert all(len(alike) == 1 for alike in narrow.values())
    (two,), (four,), (eight,) = narrow.values()
    assert two[0] / four[0] == pytest.approx(math.sqrt(2), rel=0.03)
    assert four[0] / eight[0] == pytest.approx(math.sqrt(2), rel=0.03)
    for N in ("2", "4", "8"):
        wide = [said[N, kernel, "wide"] for kernel in kernels]
        assert len({found for found, _ in wide}) > 1
        assert all(found > narrow[int(N)].copy().pop()[0] and claimed == 1.414 for found, claimed in wide)
        # As many ids as the grid sequences of two tokens have tokens, an order left out.
        assert {ids[N, kernel, ramps][0] for kernel in kernels for ramps in ("narrow", "wide")} == {
            int(N) * (int(N) - 1)
        }
    for kernel in kernels:
        apart = [ids[N, kernel, "narrow"][1] for N in ("2", "4", "8")]
        assert apart == sorted(apart, reverse=True)


def test_blocks_round_if_they_bend_where_points_are_now():
    far = {(int(k), where.split()[-1]): numbers(text)[0] for (k, where), text in readouts("more-cheng", "bent").items()}
    last = max(k for k, _ in far)
    assert far[last, "now"] <= 0.02 < 0.3 < min(gap for at, gap in far.items() if at != (last, "now"))
    assert far[0, "now"] == far[1, "now"] == far[1, "were"]
    assert len({far[k, "were"] for k in range(2, last + 1)}) == 1


def test_mixing_parts_tokens_and_blocks_answer():
    stages = ("start", "mixed", "sheared", "numbered", "set", "done")
    said = {at: numbers(text) for at, text in readouts("more-cheng", "answered").items()}
    assert [said["sequences", stage][2] for stage in stages] == [3, 5, 5, 5, 5, 5]
    assert [said["tokens", stage][2] for stage in stages] == [4] * 6
    for kind in ("tokens", "sequences"):
        far = [said[kind, stage][3] for stage in stages]
        assert far[-1] <= said[kind, "done"][4] < far[0] < far[2] < far[3]
        assert said[kind, "done"][0] == said[kind, "done"][1]


def test_what_is_peeled_last_is_hardest_to_hear():
    said = {(name, int(token)): numbers(text)[1:] for (name, token), text in readouts("more-cheng", "peel-off").items()}
    for name, order in (("exp", (8, 6, 4, 2)), ("RBF", (2, 4, 6, 8))):
        assert [said[name, token][1] for token in order] == [0, 1, 2, 3]
        apart = [said[name, token][0] for token in order]
        assert apart == sorted(apart, reverse=True)
        assert apart[0] > 1e5 * apart[-1]
        assert all(0.7 < said[name, token][0] / said[name, token][-1] < 1.1 for token in order)
    assert min(said["Cauchy", token][0] for token in (2, 4, 6, 8)) > 0.009


def test_windows_wait_longer_the_more_tokens_and_global_ones_do_not():
    said = {(name, int(n), int(m)): text for (name, n, m), text in readouts("cheng-sparse", "spreading").items()}
    far = {"window": lambda n: n - 1, "circle": lambda n: n // 2}
    for (name, n, m), text in said.items():
        depth = math.ceil(far[name](n) / 2) if name in far else 2
        assert text.endswith("depth: never" if name == "causal" else f"depth: {depth}")
        share = numbers(text)[1]
        if name == "causal":
            assert share == 50
        else:
            assert (share == 100) == (m >= depth)


def test_no_weights_stand_in_for_the_missing_layer():
    said = readouts("cheng-sparse", "missing")
    assert len(said) == 10
    for text in said.values():
        _, blind, more = text.split("\n")
        assert int(numbers(more)[0]) == int(numbers(blind)[0]) + 1
        assert numbers(blind)[1] < 1e-12 < 1e-6 < numbers(more)[1]
        assert numbers(more)[2] / numbers(more)[1] > 10  # over powers of ten


def test_one_key_keeps_symmetry_and_three_leave_none():
    lines = {at: text.split("\n") for at, text in readouts("cheng-sparse", "chance").items()}
    free = {at: numbers(text[0])[1] for at, text in lines.items()}
    heard = {at: numbers(text[1])[0] for at, text in lines.items()}
    swaps = {at: numbers(text[2])[0] for at, text in lines.items()}
    assert free["1 key", "8"] > 2 * free["1 key", "16"] > 2 * free["1 key", "32"]
    assert swaps["1 key", "32"] == pytest.approx(16 / math.e**2, rel=0.1)
    assert swaps["2 keys", "32"] == pytest.approx(math.e**-4, rel=0.15)
    assert all(free["3 keys", n] == 100 and free["2 keys", n] > 90 for n in ("8", "16", "32"))
    # Friends have more symmetry than three keys at first, and far less at 32.
    assert free["friends", "8"] < 70
    assert swaps["friends", "8"] > 50 * swaps["3 keys", "8"]
    assert swaps["friends", "32"] < swaps["3 keys", "32"] / 100
    assert all(heard[f"{k} key{'s' * (k > 1)}", "32"] < 30 for k in (1, 2, 3))
    assert all(heard[f"{k} key{'s' * (k > 1)}", "8"] > heard[f"{k} key{'s' * (k > 1)}", "32"] for k in (2, 3))


def test_the_window_has_the_group_of_the_ring_up_to_the_bound():
    said = {(int(n), int(w)): text for (n, w), text in readouts("cheng-symmetry", "windows").items()}
    assert len(said) == 20
    for (n, w), text in said.items():
        order, ring, low, last = numbers(text.replace(",", ""))
        assert (ring, low, last) == (2 * n, 1, (n - 1) // 2 - 1)
        assert (order == ring) == text.endswith("inside") == (1 <= w <= last)
        if w == 0 or 2 * w + 1 >= n:
            assert order == math.factorial(n)
        elif w == last + 1:
            assert order == 2 ** (n // 2) * math.factorial(n // 2)
    assert said[8, 3].startswith("384 ")


def test_mirror_symmetric_designs_miss_the_slope_and_the_next_hears_all():
    missed = {at: numbers(text)[0] for at, text in readouts("cheng-symmetry", "averaged").items()}
    wanted = {"slope": {1: 0.5, 11: -0.5}, "bend": {1: 1, 0: -2, 11: 1}, "next value": {1: 1}}
    opposite, others = [[0], [6]], [k for k in range(1, 12) if k != 6]
    alike = {
        "all tokens": [[0], list(range(1, 12))],
        "5 on either side": [*opposite, others],
        "1 on either side": [*opposite, *([k, 12 - k] for k in range(1, 6))],
        "the next": [[k] for k in range(12)],
    }
    assert {*missed} == set(itertools.product(wanted, alike))
    for (target, design), percent in missed.items():
        c = [wanted[target].get(k, 0) for k in range(12)]
        left = sum((c[k] - sum(c[j] for j in kind) / len(kind)) ** 2 for kind in alike[design] for k in kind)
        assert percent == pytest.approx(100 * math.sqrt(left / sum(u**2 for u in c)), abs=0.5)
    assert {at for at, percent in missed.items() if percent == 0} == {
        ("bend", "1 on either side"),
        *((target, "the next") for target in wanted),
    }


def test_connecting_is_enough_for_windows_but_not_for_1_3_and_4_ahead():
    said = {(kind, int(m)): text for (kind, m), text in readouts("cheng-symmetry", "layers").items()}
    depths = {kind: min(m for k, m in said if k == kind and "9 of 9" in said[k, m]) for kind, _ in said}
    ahead = "1, 3 and 4 ahead"
    assert depths == {
        "1 on either side": 4,
        "2 on either side": 2,
        "3 on either side": 2,
        "next 2": 4,
        "next 3": 3,
        ahead: 2,
    }
    for (kind, m), text in said.items():
        last = "no pair is fooled" if m >= depths[kind] else "some tokens are not heard of"
        assert text.split("\n")[1] == ("81 pairs are fooled" if (kind, m) == (ahead, 2) else last)


def test_softmax_fails_on_strips_that_hardmax_fills():
    said = readouts("cheng-two-samples", "failing")
    gone, near = ({at: numbers(text)[k] for at, text in said.items()} for k in (-3, -1))
    counts = sorted({int(N) for _, N in said})
    assert counts == [1, 2, 3, 10]
    for N in map(str, counts):
        assert gone["softmax", N] == 0
        assert gone["mean", N] == (0 if N == "1" else 100)
        assert gone["hardmax", N] == pytest.approx({"1": 0, "2": 50}.get(N, 100), abs=1)
    rising = [near["softmax", str(N)] for N in counts]
    assert rising == sorted(set(rising))
    assert near["softmax", "3"] < 50 < near["softmax", "10"]


def test_sharp_heads_leave_the_power_of_the_number_of_sequences():
    said = {at: numbers(text) for at, text in readouts("cheng-two-samples", "gaps-in-floats").items()}
    for (_, _, size), (_, median, law, *_, alike, _) in said.items():
        assert size != "0.3" or law / 10 < median < 10 * law
        assert size != "3" or median < 1e-3 * law
        assert size == "3" or alike == 0
    for d in ("1", "3"):
        assert said["rbf", d, "3"][1] < said["exp", d, "3"][1]
    assert 1e-7 < said["exp", "1", "0.3"][1] < 1e-6 < 1e-3 < said["exp", "3", "0.3"][1]
    _, median, law, *_, alike, _ = said["exp", "3", "3"]
    assert 1e-8 < median / law < 1e-6
    assert alike == 2


def test_which_kernels_settle_always_for_opposite_keys_or_now_and_then():
    said = {at: int(numbers(text)[0]) for at, text in readouts("cheng-kernels", "scaled").items()}
    always = {(name, pair) for (name, pair), count in said.items() if count == 40}
    opposite = {"Performer, ±ω", "Laplace", "cosh"}
    never = {"exp", "RBF"}
    for name in {name for name, _ in said}:
        pairs = {pair for other, pair in always if other == name}
        assert pairs == ({"opposite"} if name in opposite else {"at a right angle", "opposite", "double"} & pairs)
        if name in ("Cauchy", "(1 + x·y)² + 1"):
            assert len(pairs) == 3
        if name in never | opposite:
            assert all(said[name, pair] == 0 for other, pair in said if other == name and pair not in pairs)
    assert all(0 < said["elu + 1", pair] < 40 for _, pair in said)
    both = "exp(w·x) + exp(w·y)"
    assert said[both, "opposite"] == 0
    assert 0 < said[both, "at a right angle"] < said[both, "double"] == 20


def test_a_zero_token_fools_nine_kernels_and_two_that_fail_are_never_fooled():
    found = readouts("cheng-kernels", "fooled").items()
    said = {at: text.split(": ")[1].replace("Performer, ", "").split(", ") for at, text in found}
    assert {size for _, size in said} == {"0.5", "2"}
    of = {"one token changed": ["none"], "equal means": ["constant"], "(p, a, −a)": ["constant"],
          "(p, −p, a, −a)": ["cosh", "constant"], "turned squares": ["(1 + x·y)² + 1", "constant"]}  # fmt: skip
    for (family, _), names in said.items():
        assert not {"elu + 1", "exp(w·x) + exp(w·y)"} & set(names)
        if family.startswith("(0"):
            assert {"exp", "RBF"} < set(names)
            assert len(names) == 9
        else:
            assert names == of[family.split(", n")[0]]


def test_two_more_corners_than_the_degree_fool_a_polynomial():
    said = readouts("cheng-kernels", "polygons")
    assert {m for m, _ in said} == {"3", "4", "5", "6"}
    for (m, _), text in said.items():
        square, fourth, exp = (float(part.split(": ")[1]) for part in text.split(";"))
        assert (square < 1e-12) == (int(m) >= 4)
        assert (fourth < 1e-12) == (int(m) >= 6)
        assert exp > 1e-6
    middle = [float(said[m, "0.5"].split("exp: ")[1]) for m in "3456"]
    assert middle == sorted(middle, reverse=True)


def test_who_is_fooled_at_which_depth_and_number_of_tokens():
    said = readouts("cheng-your-mixer", "gallery")
    assert len(said) == 24
    for (mixer, n, layers), text in said.items():
        fooled = {
            "softmax of directions": layers == "1",
            "hardmax": layers == "1",
            "cosh": n == "4",
            "next token": int(layers) < int(n) - 1,
        }[mixer]
        assert text.startswith("no, gap 0 units" if fooled else "yes, ")
        assert text.endswith("\na kink, or as steep") == (mixer == "hardmax")
