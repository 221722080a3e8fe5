import { COUNT_OPERATORS, type CountOperator } from '@hookline/protocol'
import { type ReactElement, useContext } from 'react'
import { useBuilder } from '../../../domain/conditions/builder/builder-context.ts'
import type {
  ClauseEditor,
  ClauseInputsProps,
} from '../../../domain/conditions/builder/clause-editor.ts'
import {
  ComparisonInputs,
  OperatorNote,
} from '../../../domain/conditions/builder/comparison-inputs.tsx'
import { InlineInput, InlineSelect } from '../../../domain/conditions/builder/inline-input.tsx'
import {
  type ClauseDraft,
  type ClauseKind,
  CLAUSES,
  COUNT_WORDS,
  type CountDraft,
  newClause,
} from '../draft/clause-draft.ts'
import { AddFilterButton, EventsInputs, Line } from './events-inputs.tsx'
import { ReferencesContext } from './references-context.ts'

/** Edits clauses of audiences. */
export const CLAUSE_EDITOR: ClauseEditor<ClauseDraft> = {
  notation: CLAUSES,
  Inputs: ClauseInputs,
  AddButton: ({ clause, onChange }) =>
    clause.kind === 'events' ? (
      <AddFilterButton
        events={clause.events}
        onChange={(events) => onChange({ ...clause, events })}
      />
    ) : null,
}

const KINDS: readonly (readonly [ClauseKind, string])[] = [
  ['events', 'Events'],
  ['trait', 'Trait'],
  ['computedTrait', 'Computed trait'],
  ['audience', 'Member of'],
]

function ClauseInputs({ id, clause, onChange }: ClauseInputsProps<ClauseDraft>): ReactElement {
  return (
    <>
      <InlineSelect
        id={id}
        label="Condition type"
        value={clause.kind}
        options={KINDS}
        onPick={(kind) => onChange(newClause(kind))}
      />
      <InputsOfKind clause={clause} onChange={onChange} />
      {'comparison' in clause && <OperatorNote op={clause.comparison.op} />}
    </>
  )
}

function InputsOfKind({
  clause,
  onChange,
}: Omit<ClauseInputsProps<ClauseDraft>, 'id'>): ReactElement {
  const { suggestions } = useBuilder()
  const { traits, audiences } = useContext(ReferencesContext)
  if (clause.kind === 'events')
    return (
      <EventsInputs events={clause.events} onChange={(events) => onChange({ ...clause, events })}>
        <CountInputs count={clause.count} onChange={(count) => onChange({ ...clause, count })} />
      </EventsInputs>
    )
  if (clause.kind === 'audience')
    return (
      <Reference
        label="Audience"
        value={clause.audience}
        options={audiences}
        onPick={(audience) => onChange({ ...clause, audience })}
      />
    )
  const rename = (name: string): void => onChange({ ...clause, name })
  return (
    <>
      {clause.kind === 'trait' ? (
        <InlineInput
          label="Trait name"
          value={clause.name}
          suggestions={suggestions.traits}
          onChange={rename}
        />
      ) : (
        <Reference label="Computed trait" value={clause.name} options={traits} onPick={rename} />
      )}
      <ComparisonInputs
        comparison={clause.comparison}
        onChange={(comparison) => onChange({ ...clause, comparison })}
      />
    </>
  )
}

interface ReferenceProps {
  readonly label: string
  readonly value: string
  readonly options: readonly (readonly [string, string])[]
  readonly onPick: (value: string) => void
}

/** A choice of existing records. An unknown value stays selected; the service rejects it. */
function Reference({ value, options, ...rest }: ReferenceProps): ReactElement {
  const isKnown = options.some(([each]) => each === value)
  const first = value === '' ? 'Select…' : `${value} (not found)`
  return (
    <InlineSelect
      value={value}
      options={isKnown ? options : [[value, first], ...options]}
      {...rest}
    />
  )
}

const COUNTS: readonly (readonly [CountOperator | 'once', string])[] = [
  ['once', 'at least once'],
  ...COUNT_OPERATORS.toReversed().map((op) => [op, COUNT_WORDS[op]] as const),
]

interface CountInputsProps {
  readonly count: CountDraft | null
  readonly onChange: (count: CountDraft | null) => void
}

function CountInputs({ count, onChange }: CountInputsProps): ReactElement {
  return (
    <Line>
      <InlineSelect
        label="How often"
        value={count?.op ?? 'once'}
        options={COUNTS}
        onPick={(op) => onChange(op === 'once' ? null : { op, n: count?.n ?? '2' })}
      />
      {count !== null && (
        <span className="flex items-center gap-2">
          <InlineInput
            label="Number of times"
            inputMode="numeric"
            size="short"
            value={count.n}
            onChange={(n) => onChange({ ...count, n })}
          />
          <span>times</span>
        </span>
      )}
    </Line>
  )
}
