import { COUNT_OPERATORS, type CountOperator } from '@hookline/protocol'
import type { ReactElement } from 'react'
import type {
  ClauseDraft,
  ComparingClause,
  CountDraft,
  CountingClause,
  MembershipClause,
} from '../draft/clause-draft.ts'
import { COUNT_WORDS } from '../draft/words.ts'
import { useBuilder } from './builder-context.ts'
import { ComparisonInputs } from './inputs/comparison-inputs.tsx'
import { EventsInputs, Line } from './events-inputs.tsx'
import { InlineInput, InlineSelect } from './inputs/inline-input.tsx'

interface ClauseInputsProps<Clause extends ClauseDraft = ClauseDraft> {
  readonly clause: Clause
  readonly onChange: (clause: ClauseDraft) => void
}

/** The inputs of a clause, after its kind. */
export function ClauseInputs({ clause, onChange }: ClauseInputsProps): ReactElement {
  switch (clause.kind) {
    case 'events':
      return <Counting clause={clause} onChange={onChange} />
    case 'audience':
      return <Membership clause={clause} onChange={onChange} />
    case 'trait':
    case 'computedTrait':
      return <Comparing clause={clause} onChange={onChange} />
  }
}

function Comparing({ clause, onChange }: ClauseInputsProps<ComparingClause>): ReactElement {
  const { suggestions, traits } = useBuilder()
  const rename = (name: string): void => onChange({ ...clause, name })
  return (
    <>
      {clause.kind === 'trait' ? (
        <InlineInput
          label="Name of the trait"
          value={clause.name}
          offers={suggestions.traits}
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

function Membership({ clause, onChange }: ClauseInputsProps<MembershipClause>): ReactElement {
  const { audiences } = useBuilder()
  return (
    <Reference
      label="Audience"
      value={clause.audience}
      options={audiences}
      onPick={(audience) => onChange({ ...clause, audience })}
    />
  )
}

interface ReferenceProps {
  readonly label: string
  readonly value: string
  readonly options: readonly (readonly [string, string])[]
  readonly onPick: (value: string) => void
}

/** One of what is there. What is named and not there stays, so that the service can say what is wrong with it. */
function Reference({ label, value, options, onPick }: ReferenceProps): ReactElement {
  const isKnown = options.some(([each]) => each === value)
  const first = value === '' ? 'choose one' : `${value} (not there)`
  return (
    <InlineSelect
      label={label}
      value={value}
      options={isKnown ? options : [[value, first], ...options]}
      onPick={onPick}
    />
  )
}

type Often = CountOperator | 'once'

const OFTEN: readonly (readonly [Often, string])[] = [
  ['once', 'at least once'],
  ...COUNT_OPERATORS.toReversed().map((op) => [op, COUNT_WORDS[op]] as const),
]

function Counting({ clause, onChange }: ClauseInputsProps<CountingClause>): ReactElement {
  const { events, count } = clause
  return (
    <EventsInputs events={events} onChange={(next) => onChange({ ...clause, events: next })}>
      <Times count={count} onChange={(next) => onChange({ ...clause, count: next })} />
    </EventsInputs>
  )
}

interface TimesProps {
  readonly count: CountDraft | null
  readonly onChange: (count: CountDraft | null) => void
}

function Times({ count, onChange }: TimesProps): ReactElement {
  return (
    <Line>
      <InlineSelect
        label="How often"
        value={count?.op ?? 'once'}
        options={OFTEN}
        onPick={(often) => onChange(often === 'once' ? null : { op: often, n: count?.n ?? '2' })}
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
