import { type Operator, OPERATOR_TABLE, OPERATORS } from '@hookline/protocol'
import type { ReactElement } from 'react'
import { type ComparisonDraft, withOperator } from '../../draft/comparison-draft.ts'
import { OPERATOR_WORDS } from '../../draft/words.ts'
import { InlineSelect } from './inline-input.tsx'
import { ValueInput } from './value-input.tsx'

const OPTIONS = OPERATORS.map((op): [Operator, string] => [op, OPERATOR_WORDS[op]])

interface ComparisonInputsProps {
  readonly comparison: ComparisonDraft
  readonly onChange: (comparison: ComparisonDraft) => void
}

/** An operator and its value. */
export function ComparisonInputs({ comparison, onChange }: ComparisonInputsProps): ReactElement {
  const { op, value } = comparison
  return (
    <>
      <InlineSelect
        label="Operator"
        title={OPERATOR_TABLE[op].meaning}
        value={op}
        options={OPTIONS}
        onPick={(picked) => onChange(withOperator(comparison, picked))}
      />
      {value !== null && (
        <ValueInput op={op} value={value} onChange={(next) => onChange({ op, value: next })} />
      )}
    </>
  )
}

/** What the operator does, also with a value that is missing or of another type. */
export function OperatorNote({ op }: { readonly op: Operator }): ReactElement {
  const { meaning, looksAt, onMissing, onMistyped } = OPERATOR_TABLE[op]
  const verdict = (holds: boolean): string => (holds ? 'matches' : 'does not match')
  const isSame = onMissing === onMistyped || looksAt === 'every value'
  return (
    <p className="text-ink-faint text-note">
      {meaning} It looks at {looksAt}. A missing value{' '}
      {isSame
        ? `${looksAt === 'every value' ? '' : 'or any other one '}${verdict(onMissing)}`
        : `${verdict(onMissing)}, any other one ${verdict(onMistyped)}`}
      .
    </p>
  )
}
