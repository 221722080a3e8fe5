import { type Operator, OPERATOR_TABLE, OPERATORS } from '@hookline/protocol'
import type { ReactElement } from 'react'
import { type ComparisonDraft, withOperator } from '../draft/comparison-draft.ts'
import { OPERATOR_WORDS } from '../draft/words.ts'
import { InlineSelect } from './inline-input.tsx'
import { ValueInput } from './value-input.tsx'

const OPTIONS = OPERATORS.map((op) => [op, OPERATOR_WORDS[op]] as const)

interface ComparisonInputsProps {
  readonly comparison: ComparisonDraft
  readonly onChange: (comparison: ComparisonDraft) => void
}

export function ComparisonInputs({ comparison, onChange }: ComparisonInputsProps): ReactElement {
  const { op, value } = comparison
  return (
    <>
      <InlineSelect
        label="Operator"
        title={OPERATOR_TABLE[op].meaning}
        value={op}
        options={OPTIONS}
        onPick={(next) => onChange(withOperator(comparison, next))}
      />
      {value !== null && (
        <ValueInput op={op} value={value} onChange={(next) => onChange({ op, value: next })} />
      )}
    </>
  )
}

/** Explains an operator, including how it treats missing and mistyped values. */
export function OperatorNote({ op }: { readonly op: Operator }): ReactElement {
  const { meaning, appliesTo, onMissing, onMistyped } = OPERATOR_TABLE[op]
  const verdict = (holds: boolean): string => (holds ? 'match' : 'do not match')
  const missing = `Missing values ${verdict(onMissing)}`
  const mistyped =
    onMissing === onMistyped
      ? `Missing values and values of other types ${verdict(onMissing)}`
      : `${missing}; values of other types ${verdict(onMistyped)}`
  return (
    <p className="text-ink-faint text-note basis-full">
      {meaning} Applies to {appliesTo}. {appliesTo === 'any value' ? missing : mistyped}.
    </p>
  )
}
