/** An amount in the currency's minor unit (cents for EUR, whole yen for JPY) and its ISO 4217 code. */
export type Money = { amount: number; currency: string };

const currencies = new Set(Intl.supportedValuesOf('currency'));

/** Whether `code` is an ISO 4217 code in upper case. */
export function isCurrency(code: string): boolean {
  return currencies.has(code);
}

/**
 * Currencies whose minor unit is not a hundredth, by its digits (ISO 4217, list one). `Intl` knows them too, but browsers differ: Chromium
 * and Node leave out what is not in circulation, as the hundredths of a forint, and the amount would be another one in each.
 */
const exponents: Record<number, string> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
};
const digitsOf = new Map(
  Object.entries(exponents).flatMap(([digits, codes]) =>
    codes.split(' ').map((code) => [code, Number(digits)] as const),
  ),
);

/** How many digits of an amount are its minor unit: two for EUR, none for JPY. */
export const minorDigits = (currency: string): number => digitsOf.get(currency) ?? 2;

/** The formatted amount: `€12.50`, `¥1,200`. */
export function formatMoney({ amount, currency }: Money, locale = 'en'): string {
  const digits = minorDigits(currency);
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    trailingZeroDisplay: 'stripIfInteger',
  });
  return format.format(amount / 10 ** digits);
}
