/** Characters that a formatted body may have, however short it is: nested lists grow with the square of their depth. */
const maxFormatted = 64 * 1024;

/** Characters that indentation adds to JSON, two for each level, without making the text. */
function indentation(json: string): number {
  let [depth, added, isInText] = [0, 0, false];
  for (let at = 0; at < json.length; at += 1) {
    const token = json[at];
    if (token === '"') isInText = !isInText;
    else if (isInText && token === '\\') at += 1;
    if (isInText) continue;
    if (token === '[' || token === '{') depth += 1;
    else if (token === ']' || token === '}') depth -= 1;
    else if (token !== ',') continue;
    added += 1 + 2 * depth;
  }
  return added;
}

/** Indented JSON; null when the text is not JSON, or would be several times as long. */
export function formatJson(text: string): string | null {
  try {
    if (text.length + indentation(text) > Math.max(maxFormatted, 3 * text.length)) return null;
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return null;
  }
}
