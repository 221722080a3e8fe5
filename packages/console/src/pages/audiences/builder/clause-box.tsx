import type { ReactElement } from 'react'
import { classNames } from '../../../design/class-names.ts'
import {
  type ClauseDraft,
  type ClauseKind,
  type ClausePart,
  copyOf,
  newClause,
  newGroup,
} from '../draft/condition-tree.ts'
import { clauseWords } from '../draft/words.ts'
import { useBuilder } from './builder-context.ts'
import { ClauseInputs } from './clause-inputs.tsx'
import { AddFilterButton } from './events-inputs.tsx'
import { FaultList, faultsIn } from './fault-list.tsx'
import { OperatorNote } from './inputs/comparison-inputs.tsx'
import { InlineSelect } from './inputs/inline-input.tsx'
import { addId, NegateButton, NotMark, type PartProps, SmallButton } from './part-buttons.tsx'

const KINDS: readonly (readonly [ClauseKind, string])[] = [
  ['events', 'Events'],
  ['trait', 'Trait'],
  ['computedTrait', 'Computed trait'],
  ['audience', 'Member of'],
]

/** The inputs, faults and actions of a clause. */
export function ClauseBox({ part, pointer, parent, onEdit }: PartProps<ClausePart>): ReactElement {
  const { faults: all, nameOf } = useBuilder()
  const { clause } = part
  const faults = faultsIn(all, pointer)
  const change = (next: ClauseDraft): void => onEdit(part.id, () => [{ ...part, clause: next }])
  return (
    <div
      role="group"
      aria-label={`Clause: ${clauseWords(clause, nameOf)}`}
      className={classNames(
        'bg-surface rounded-panel flex flex-col gap-1.5 border p-2 sm:p-3',
        faults.length > 0 ? 'border-failed' : 'border-line',
      )}
    >
      <div className="flex flex-wrap items-center gap-2">
        <NotMark part={part} onEdit={onEdit} />
        <InlineSelect
          id={part.id}
          label="Clause type"
          value={clause.kind}
          options={KINDS}
          onPick={(kind) => change(newClause(kind))}
        />
        <ClauseInputs clause={clause} onChange={change} />
      </div>
      {'comparison' in clause && <OperatorNote op={clause.comparison.op} />}
      <FaultList faults={faults} />
      <div className="flex flex-wrap justify-end gap-1">
        {clause.kind === 'events' && (
          <AddFilterButton
            className="mr-auto"
            events={clause.events}
            onChange={(events) => change({ ...clause, events })}
          />
        )}
        <ClauseActions part={part} parent={parent} onEdit={onEdit} />
      </div>
    </div>
  )
}

function ClauseActions({
  part,
  parent,
  onEdit,
}: Omit<PartProps<ClausePart>, 'pointer'>): ReactElement {
  const otherJoin = parent?.join === 'or' ? 'and' : 'or'
  const duplicate = (): void => {
    const copy = copyOf(part)
    onEdit(part.id, (each) => [each, copy], copy.id)
  }
  return (
    <>
      <NegateButton part={part} onEdit={onEdit} />
      <SmallButton
        title={`Wrap in an “${otherJoin}” group`}
        onClick={() => onEdit(part.id, (each) => [newGroup(otherJoin, [each])], part.id)}
      >
        Group
      </SmallButton>
      <SmallButton onClick={duplicate}>Duplicate</SmallButton>
      <SmallButton onClick={() => onEdit(part.id, () => [], parent && addId(parent.id))}>
        Remove
      </SmallButton>
    </>
  )
}
