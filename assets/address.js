// What an address names within its page: an element, or, where that is shown elsewhere (see atlas.js), what shows it.
"use strict";
const addressed = (address) => {
  try {
    const found = document.getElementById(decodeURIComponent(address.slice(1)));
    return found?.shownBy ?? found;
  } catch { return null; } // it may be malformed
};
