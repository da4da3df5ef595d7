'use client';

import { Controller, useFormContext, useWatch } from 'react-hook-form';
import { type Game, GameField } from '@/components/tournaments/form/game-field';
import { lockedClass, SettingField } from '@/components/tournaments/form/setting-field';
import type { FormValues } from '@/components/tournaments/form/values';
import { RadioCards } from '@/components/ui/form/choices';
import { FieldRow, FormSection } from '@/components/ui/form/form-section';
import { Input, Textarea } from '@/components/ui/form/input';
import { slugify } from '@/domain/text/slug';
import { tournamentSlug } from '@/domain/tournaments/rules';

/** Name, page address, game, texts and visibility. */
export function BasicsSection({
  projectId,
  games,
  isNew,
  onAddGame,
}: {
  projectId: string;
  games: Game[];
  isNew: boolean;
  onAddGame: (game: Game) => void;
}) {
  const { register, control } = useFormContext<FormValues>();
  const [name, slug, description, rules] = useWatch({ control, name: ['name', 'slug', 'description', 'rules'] });
  const preview = slug || (name.trim() ? slugify(name, tournamentSlug) : '');
  return (
    <FormSection title="Basics" description="What players see first.">
      <SettingField name="name" required>
        {(locked) => (
          <Input
            {...register('name')}
            readOnly={locked}
            className={lockedClass}
            placeholder="Winter Cup"
            autoComplete="off"
            dir="auto"
          />
        )}
      </SettingField>
      <FieldRow>
        <GameField projectId={projectId} games={games} onAdd={onAddGame} />
        <SettingField
          name="slug"
          required={!isNew}
          hint={
            preview ? (
              <>
                Page address: <span className="break-all text-muted">/tournaments/{preview}</span>
                {isNew && !slug ? ', with a few more characters if it is taken.' : ''}
              </>
            ) : (
              'Created from the name.'
            )
          }
        >
          {(locked) => (
            <Input
              {...register('slug')}
              readOnly={locked}
              className={lockedClass}
              placeholder={name.trim() ? slugify(name, tournamentSlug) : 'winter-cup'}
              autoCapitalize="none"
              spellCheck={false}
            />
          )}
        </SettingField>
      </FieldRow>
      <SettingField
        name="description"
        hint="Markdown. For example prizes, chat, and streams."
        aside={description.length > 15_000 ? `${description.length.toLocaleString('en')} of 20,000` : null}
      >
        {() => <Textarea {...register('description')} rows={4} dir="auto" />}
      </SettingField>
      <SettingField
        name="rules"
        hint="Markdown. For example map pool, settings, conduct, and no-shows."
        aside={rules.length > 40_000 ? `${rules.length.toLocaleString('en')} of 50,000` : null}
      >
        {() => <Textarea {...register('rules')} rows={4} dir="auto" />}
      </SettingField>
      <SettingField name="visibility" group required>
        {() => (
          <Controller
            control={control}
            name="visibility"
            render={({ field }) => (
              <RadioCards
                columns={3}
                value={field.value}
                onValueChange={field.onChange}
                options={[
                  { value: 'public', label: 'Public', hint: 'Listed and searchable.' },
                  { value: 'unlisted', label: 'Unlisted', hint: 'Anyone with the link can open it.' },
                  { value: 'private', label: 'Private', hint: 'Only members of the project.' },
                ]}
              />
            )}
          />
        )}
      </SettingField>
    </FormSection>
  );
}
