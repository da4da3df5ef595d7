/**
 * Whether the bundled fonts have all characters of a text; for others the renderer would download a font from the internet: Latin with what
 * European and Vietnamese names need, and some punctuation.
 */
export const isDrawable = (text: string): boolean =>
  /^[\u0020-\u007e\u00a0-\u017f\u01a0\u01a1\u01af\u01b0\u0218-\u021b\u1ea0-\u1ef9\u2013\u2014\u2018-\u201a\u201c-\u201e\u2020\u2022\u2026\u20ab\u20ac]*$/.test(
    text,
  );
