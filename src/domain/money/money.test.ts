import { expect, test } from 'vitest';
import { formatMoney, isCurrency, minorDigits } from '@/domain/money/money';

test('amounts are in the minor unit of ISO 4217, whatever the runtime thinks of it', () => {
  const shown = (amount: number, currency: string) => formatMoney({ amount, currency }).replace(/\s/g, ' ');
  expect(shown(1_250, 'EUR')).toBe('€12.50');
  expect(shown(1_200, 'EUR')).toBe('€12');
  expect(shown(1_200, 'JPY')).toBe('¥1,200');
  expect(shown(500_000, 'HUF')).toBe('HUF 5,000');
  expect(shown(500_050, 'HUF')).toBe('HUF 5,000.50');
  expect(shown(1_234_567, 'KWD')).toBe('KWD 1,234.567');
  expect(shown(5_000_000, 'IQD')).toBe('IQD 5,000');
});

test('whoever shows a fraction of a currency knows as many digits as ISO 4217, or leaves them out', () => {
  for (const currency of Intl.supportedValuesOf('currency')) {
    expect(isCurrency(currency)).toBe(true);
    const { maximumFractionDigits = 2 } = new Intl.NumberFormat('en', {
      style: 'currency',
      currency,
    }).resolvedOptions();
    if (maximumFractionDigits > 0) expect([currency, minorDigits(currency)]).toEqual([currency, maximumFractionDigits]);
  }
});
