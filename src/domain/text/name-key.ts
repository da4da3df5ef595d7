/** What most names are: visible ASCII with single spaces. */
const plainName = /^[!-~]+(?: [!-~]+)*$/;

/** A name as it is compared with others: without regard to case, width, repeated spaces and what nobody sees. */
export function nameKey(name: string): string {
  if (plainName.test(name)) return name.toLowerCase();
  return name
    .normalize('NFKC')
    .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
    .trim()
    .replace(/\s+/g, ' ')
    .toLowerCase();
}
