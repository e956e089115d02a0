// A parabola and its tangent at x, which the reader drags.

PICTURES.tangent = {
  start(card, { colours: [blue, orange] }) {
    let x, y, moving;
    return {
      layout(width, height) {
        x = scale([-2, 2], [40, width - 10]);
        y = scale([-1, 4], [height - 30, 10]);
        axis(card.svg, "x", x, y(0));
        const curve = Array.from({ length: 81 }, (_, k) => [x(k / 20 - 2), y((k / 20 - 2) ** 2)]);
        el(card.svg, "path", { d: path(curve), fill: "none", stroke: blue, "stroke-width": 2 });
        moving = el(card.svg, "g");
      },
      update({ x: at }) {
        redraw(moving);
        const line = [-0.7, 0.7].map((step) => [x(at + step), y(at * at + 2 * at * step)]);
        el(moving, "path", { d: path(line), stroke: orange, "stroke-width": 3 });
        marker(moving, 0, x(at), y(at * at), { fill: orange });
        card.place(0, x, y(at * at));
        const text = `slope ${number(2 * at, 2)} at x = ${number(at, 2)}`;
        const goals = { level: () => (at === 0 ? [true, "the slope is 0"] : [false, "the tangent still rises or falls"]) };
        return { text, alt: `A parabola, and its tangent: ${text}.`, goals };
      },
    };
  },
};
