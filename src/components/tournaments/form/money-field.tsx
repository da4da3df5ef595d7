'use client';

import { useState } from 'react';
import { Input } from '@/components/ui/form/input';
import { Select } from '@/components/ui/form/select';
import { type Money, minorDigits } from '@/domain/money/money';

const commonCurrencies = ['EUR', 'USD', 'GBP', 'CHF', 'SEK', 'NOK', 'DKK', 'PLN', 'BRL', 'JPY', 'KRW', 'AUD', 'CAD'];

function amountText(value: Money | null): string {
  if (!value) return '';
  const digits = minorDigits(value.currency);
  const text = (value.amount / 10 ** digits).toFixed(digits);
  return text.replace(/\.0+$/, '');
}

/** Input for an amount of money, stored in the minor unit; empty is null. Place it inside a Field. */
export function MoneyField({
  value,
  onChange,
  onBlur,
  label,
  locked,
}: {
  value: Money | null;
  onChange: (value: Money | null) => void;
  onBlur?: () => void;
  label: string;
  locked: boolean;
}) {
  const [currency, setCurrency] = useState(value?.currency ?? 'EUR');
  const [typed, setTyped] = useState(() => amountText(value));

  function read(text: string, code: string) {
    setTyped(text);
    const normalized = text.trim().replace(',', '.');
    if (normalized === '') return onChange(null);
    const amount = /^\d+(\.\d*)?$/.test(normalized)
      ? Math.round(Number(normalized) * 10 ** minorDigits(code))
      : Number.NaN;
    onChange({ amount, currency: code });
  }

  return (
    <div className="flex gap-2">
      <Input
        inputMode="decimal"
        value={typed}
        placeholder="None"
        readOnly={locked}
        className="read-only:bg-sunken read-only:text-muted"
        onChange={(event) => read(event.target.value, currency)}
        onBlur={onBlur}
      />
      <div className="w-24 shrink-0">
        <Select
          aria-label={`Currency of the ${label}`}
          value={currency}
          disabled={locked}
          onValueChange={(code) => {
            setCurrency(code);
            read(typed, code);
          }}
          options={[...new Set([currency, ...commonCurrencies])].map((code) => ({ value: code, label: code }))}
        />
      </div>
    </div>
  );
}
