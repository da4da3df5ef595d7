/**
 * How many emails a process sends at a time: the connections to the mail server; of them, how many that one block, account or
 * source causes, that all cause, and that people ask for themselves. Neither kind can keep the other waiting, nor one cause the
 * others; nor can late domains and those that are not known, which have their own few of each kind.
 */
export function sharesOf(connections: number) {
  const few = Math.max(1, Math.floor(connections / 10));
  const unknownCaused = Math.ceil(connections / 2);
  const asked = Math.ceil(connections / 2);
  const causer = Math.max(1, Math.floor(unknownCaused / 2));
  return {
    each: Math.ceil(connections * 0.4),
    caused: Math.max(1, connections - Math.floor(connections / 5)),
    asked,
    late: { asked: few, caused: few },
    unknown: { asked: Math.max(1, Math.floor(connections / 5)), caused: unknownCaused },
    /** Of what one network asks for, and of what it invites; of what it asks for in any case, one is left to others if there are more. */
    asker: { prompt: Math.max(1, Math.floor(connections / 5)), unknown: 1, late: 1, any: Math.max(1, asked - 1) },
    /** Of what one causes without inviting, at domains that are not prompt. */
    causer,
    /** Of what goes to recipients who signed up from one block: one is left to the others of a causer, or to all that are late. */
    block: { unknown: Math.max(1, causer - 1), late: Math.max(1, few - 1) },
  };
}
