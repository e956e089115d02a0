// Where the squares of a picture stand, with their tools: {wide, squares: [x, y, side] of f and what stands beside it, tools
// and film: [x, y, width] of rows, told: where the lines end up that say what runs, plot: where the curves stand}.

/** Two large squares, f and an answer, side by side; the error smaller, beside them or below, with what its colours mean. */
PICTURES.square.placesOfOne = (width, height, low) => {
  const wide = width >= 540, left = wide ? 26 : 14, gap = wide ? 14 : 8, top = wide ? 22 : 20, bottom = height - (wide ? 36 : 24);
  const narrow = Math.min(232, (width - left - 1 - gap) / 2), beside = Math.max(110, Math.min(150, 0.2 * width));
  const side = wide ? Math.min(low ? 140 : 300, (width - left - 2 * gap - beside - 4) / 2) : narrow, under = top + side, second = left + side + gap;
  const plotTop = wide ? under + 124 : bottom - 130, lower = under + 134, small = wide ? Math.min(beside, side) : Math.min(150, plotTop - 28 - lower);
  const third = wide ? [second + side + gap, top] : [left, lower], legend = wide ? [third[0], top + small] : [left + small + 16, lower - 6];
  const bar = { x: legend[0], width: width - 24 - legend[0], height: 9 };
  return {
    wide, squares: [[left, top, side], [second, top, side], [...third, small]],
    tools: [left, under + (wide ? 22 : 19), side], film: [second, under + (wide ? 22 : 19), side],
    told: [left, under + (wide ? 74 : 82)], note: [legend[0], legend[1] + 112],
    bars: { error: { ...bar, y: legend[1] + 12 }, values: { ...bar, y: legend[1] + 64 } },
    plot: { across: wide ? [60, second + side] : [46, width - 8], y: plotTop, bottom },
  };
};

/** f and two answers: in a row; on a phone f with all that is pressed below it, and the answers beside it, one above the other. */
PICTURES.square.placesOfTwo = (width, height, low) => {
  const wide = width >= 540, left = wide ? 20 : 14, gap = wide ? 14 : 8, top = low ? 22 : wide ? 38 : 40, bottom = height - (wide ? 36 : 24); // titles are menus
  if (!wide) {
    const room = width - left - gap - 1, small = Math.min(160, 0.45 * room), large = Math.min(230, room - small), second = left + large + gap;
    const lower = top + small + 64, under = top + large, told = lower + small + 58, film = lower + small - 44; // it ends with the squares
    return {
      wide, squares: [[left, top, large], [second, top, small], [second, lower, small]],
      tools: [left, (under + film) / 2 - 8, large], film: [left, film, large], told: [left, told],
      plot: { across: [46, width - 8], y: told + 66, bottom },
    };
  }
  const side = Math.min(low ? 132 : 240, (width - left - 2 * gap - 2) / 3), across = [0, 1, 2].map((k) => left + k * (side + gap)), under = top + side;
  const end = across[2] + side, beside = [end + gap, width - end - gap];
  return {
    wide, squares: across.map((x) => [x, top, side]),
    tools: low ? [beside[0], top, beside[1]] : [left, under + 24, side],
    film: low ? [beside[0], top + 52, beside[1]] : [across[1], under + 44, 2 * side + gap],
    told: [left, under + (low ? 56 : 94)], plot: { across: [60, end], y: under + 156, bottom },
  };
};
