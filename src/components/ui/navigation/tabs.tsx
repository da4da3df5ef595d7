'use client';

import { Tabs as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { TabCount, tab, tabStrip } from '@/components/ui/navigation/link-tabs';

export type TabItem = { value: string; label: ReactNode; count?: number; content: ReactNode };

/** Tabs within one page. */
export function Tabs({
  items,
  label,
  value,
  defaultValue,
  onValueChange,
}: {
  items: TabItem[];
  label: string;
  value?: string;
  defaultValue?: string;
  onValueChange?: (value: string) => void;
}) {
  return (
    <Radix.Root value={value} defaultValue={defaultValue ?? items[0]?.value} onValueChange={onValueChange}>
      <Radix.List aria-label={label} className={tabStrip}>
        {items.map((item) => (
          <Radix.Trigger
            key={item.value}
            value={item.value}
            className={`${tab} data-[state=active]:border-accent data-[state=active]:text-ink`}
          >
            {item.label}
            <TabCount value={item.count} />
          </Radix.Trigger>
        ))}
      </Radix.List>
      {items.map((item) => (
        <Radix.Content key={item.value} value={item.value} className="pt-6">
          {item.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
