import type { ReactElement } from 'react'
import { classNames } from '../../../design/class-names.ts'
import { type ClauseKind, newClause } from '../draft/clause-draft.ts'
import { type ClausePart, copyOf, newGroup } from '../draft/condition-tree.ts'
import { faultsIn } from '../draft/faults.ts'
import { clauseWords } from '../draft/words.ts'
import { useBuilder } from './builder-context.ts'
import { ClauseInputs } from './clause-inputs.tsx'
import { OperatorNote } from './inputs/comparison-inputs.tsx'
import { AddFilterButton } from './events-inputs.tsx'
import { FaultList } from './fault-list.tsx'
import { InlineSelect } from './inputs/inline-input.tsx'
import { NegateButton, NotMark, SmallButton } from './part-buttons.tsx'
import { addId, type PartProps } from './part-props.ts'

const KINDS: readonly (readonly [ClauseKind, string])[] = [
  ['events', 'Events'],
  ['trait', 'Trait'],
  ['computedTrait', 'Computed trait'],
  ['audience', 'Member of'],
]

/** A clause with its inputs, what is wrong with it, and what can be done with it. */
export function ClauseBox({ part, pointer, parent, onEdit }: PartProps<ClausePart>): ReactElement {
  const { faults, nameOf } = useBuilder()
  const { clause } = part
  const own = faultsIn(faults, pointer)
  return (
    <div
      role="group"
      aria-label={`Clause: ${clauseWords(clause, nameOf)}`}
      className={classNames(
        'bg-surface rounded-panel flex flex-col gap-1.5 border p-2 sm:p-3',
        own.length > 0 ? 'border-failed' : 'border-line',
      )}
    >
      <div className="flex flex-wrap items-center gap-2">
        <NotMark part={part} onEdit={onEdit} />
        <InlineSelect
          id={part.id}
          label="Kind of clause"
          value={clause.kind}
          options={KINDS}
          onPick={(kind) => onEdit(part.id, () => [{ ...part, clause: newClause(kind) }])}
        />
        <ClauseInputs
          clause={clause}
          onChange={(next) => onEdit(part.id, () => [{ ...part, clause: next }])}
        />
      </div>
      {'comparison' in clause && <OperatorNote op={clause.comparison.op} />}
      <FaultList faults={own} />
      <ClauseActions part={part} {...(parent && { parent })} onEdit={onEdit} />
    </div>
  )
}

function ClauseActions({
  part,
  parent,
  onEdit,
}: Omit<PartProps<ClausePart>, 'pointer'>): ReactElement {
  const { clause } = part
  const otherJoin = parent?.join === 'or' ? 'and' : 'or'
  const copy = (): void => {
    const copied = copyOf(part)
    onEdit(part.id, (each) => [each, copied], copied.id)
  }
  return (
    <div className="flex flex-wrap justify-end gap-1">
      {clause.kind === 'events' && (
        <div className="mr-auto">
          <AddFilterButton
            events={clause.events}
            onChange={(events) =>
              onEdit(part.id, () => [{ ...part, clause: { ...clause, events } }])
            }
          />
        </div>
      )}
      <NegateButton part={part} onEdit={onEdit} />
      <SmallButton
        title={`Puts the clause into a group of its own, joined by ${otherJoin}`}
        onClick={() => onEdit(part.id, (each) => [newGroup(otherJoin, [each])], part.id)}
      >
        Group
      </SmallButton>
      <SmallButton onClick={copy}>Copy</SmallButton>
      <SmallButton
        onClick={() =>
          onEdit(part.id, () => [], parent === undefined ? undefined : addId(parent.id))
        }
      >
        Remove
      </SmallButton>
    </div>
  )
}
