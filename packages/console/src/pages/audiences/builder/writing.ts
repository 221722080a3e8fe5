import type { ReactElement } from 'react'
import { type ComputeDraft, NEW_COMPUTE } from '../draft/compute-draft.ts'
import { type ConditionTree, newClausePart, newGroup } from '../draft/condition-tree.ts'
import { COMPUTES, CONDITIONS, type Notation } from '../draft/definition-draft.ts'
import { computeWords, conditionWords, type NameOf } from '../draft/words.ts'
import type { ComputationKind } from '../record/computation-kind.ts'
import { ComputeInputs } from './compute-inputs.tsx'
import { ConditionInputs } from './condition-inputs.tsx'
import type { DefinitionInputsProps } from './inputs-props.ts'

/** How a kind of definition is written, and said in words. */
export interface Writing<Draft> {
  readonly notation: Notation<Draft>
  /** The beginning of the sentence that says it. */
  readonly opening: string
  readonly newDraft: () => Draft
  readonly wordsOf: (draft: Draft, nameOf: NameOf) => string
  readonly Inputs: (props: DefinitionInputsProps<Draft>) => ReactElement
}

const CONDITION: Writing<ConditionTree> = {
  notation: CONDITIONS,
  opening: 'Users with: ',
  newDraft: () => newGroup('and', [newClausePart()]),
  wordsOf: conditionWords,
  Inputs: ConditionInputs,
}

const COMPUTE: Writing<ComputeDraft> = {
  notation: COMPUTES,
  opening: 'The value is the ',
  newDraft: () => NEW_COMPUTE,
  wordsOf: computeWords,
  Inputs: ComputeInputs,
}

/** How the definitions of this kind are written. A draft of one kind never meets the functions of the other. */
export function writingOf({ definition }: Pick<ComputationKind, 'definition'>): Writing<unknown> {
  return (definition === 'condition' ? CONDITION : COMPUTE) as unknown as Writing<unknown>
}
