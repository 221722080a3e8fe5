import type { EventType } from '@hookline/protocol'
import type { ReactElement } from 'react'
import { Button } from '../../../../design/controls/button.tsx'
import { Icon } from '../../../../design/icon.tsx'
import { useBuilder } from '../../../../domain/conditions/builder/builder-context.ts'
import type {
  ClauseEditor,
  ClauseInputsProps,
} from '../../../../domain/conditions/builder/clause-editor.ts'
import { InlineInput, InlineSelect } from '../../../../domain/conditions/builder/inline-input.tsx'
import { SmallButton } from '../../../../domain/conditions/builder/part-buttons.tsx'
import { AddWhereButton, WhereInputs } from '../../../../domain/conditions/builder/where-inputs.tsx'
import { SUBJECTS } from '../../../../domain/conditions/draft/where-draft.ts'
import { EVENT_WORDS } from '../../../../domain/conditions/draft/words.ts'
import { FILTER_CLAUSES, type FilterClauseDraft, kindOf, withNames } from './filter-draft.ts'

/** Edits clauses of filters. */
export const FILTER_CLAUSE_EDITOR: ClauseEditor<FilterClauseDraft> = {
  notation: FILTER_CLAUSES,
  Inputs: FilterClauseInputs,
  AddButton: ({ clause, onChange }) => (
    <AddWhereButton
      label="Filter by value"
      subject={clause.type === 'identify' || clause.type === 'group' ? 'trait' : 'property'}
      where={clause.where}
      onChange={(where) => onChange({ ...clause, where })}
    />
  ),
}

const KINDS: readonly (readonly [EventType | 'any', string])[] = [
  ['any', 'any event'],
  ...(Object.entries(EVENT_WORDS) as [EventType, string][]),
]

type FilterClauseProps = ClauseInputsProps<FilterClauseDraft>

function FilterClauseInputs({ id, clause, onChange }: FilterClauseProps): ReactElement {
  const kind = kindOf(clause)
  return (
    <>
      <InlineSelect
        id={id}
        label="Event type"
        value={kind}
        options={KINDS}
        onPick={(next) =>
          onChange({ ...clause, type: next === 'any' ? null : next, names: [], isList: false })
        }
      />
      {kind === 'track' && <NameInputs clause={clause} onChange={onChange} />}
      <WhereInputs
        where={clause.where}
        subjects={SUBJECTS}
        onChange={(where) => onChange({ ...clause, where })}
      />
    </>
  )
}

/** Inputs for one or more event names. */
function NameInputs({ clause, onChange }: Omit<FilterClauseProps, 'id'>): ReactElement {
  const { suggestions } = useBuilder()
  const names = clause.names.length === 0 ? [''] : clause.names
  const change = (next: readonly string[]): void => onChange(withNames(clause, next))
  return (
    <>
      {names.map((name, index) => (
        <span key={index} className="flex min-w-36 grow basis-56 items-center gap-1">
          {index > 0 && <span className="text-ink-soft pr-1">or</span>}
          <InlineInput
            label={names.length === 1 ? 'Event name (empty: all)' : 'Event name'}
            autoFocus={index > 0 && name === ''}
            value={name}
            suggestions={suggestions.track}
            onChange={(next) => change(names.with(index, next))}
          />
          {names.length > 1 && (
            <Button
              variant="quiet"
              className="px-1.5"
              aria-label={`Remove event name ${index + 1}`}
              onClick={() => change(names.toSpliced(index, 1))}
            >
              <Icon name="cross" className="size-3" />
            </Button>
          )}
        </span>
      ))}
      {clause.names.length > 0 && !names.includes('') && (
        <SmallButton onClick={() => change([...names, ''])}>
          <Icon name="plus" className="size-3" /> Event name
        </SmallButton>
      )}
    </>
  )
}
