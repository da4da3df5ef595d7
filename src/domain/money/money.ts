/** An amount in the currency's minor unit (cents for EUR, whole yen for JPY) and its ISO 4217 code. */
export type Money = { amount: number; currency: string };

const currencies = new Set(Intl.supportedValuesOf('currency'));

/** Whether `code` is an ISO 4217 code in upper case. */
export function isCurrency(code: string): boolean {
  return currencies.has(code);
}

/** The formatted amount: `€12.50`, `¥1,200`. */
export function formatMoney({ amount, currency }: Money, locale = 'en'): string {
  const format = new Intl.NumberFormat(locale, { style: 'currency', currency, trailingZeroDisplay: 'stripIfInteger' });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}
