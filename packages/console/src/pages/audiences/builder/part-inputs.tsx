import type { ReactElement } from 'react'
import { Button } from '../../../design/controls/button.tsx'
import { classNames } from '../../../design/class-names.ts'
import { Icon } from '../../../design/icon.tsx'
import { type ClauseKind, newClause } from '../draft/clause-draft.ts'
import {
  type ClausePart,
  type ConditionTree,
  copyOf,
  type Group,
  innerPointer,
  type Join,
  newClausePart,
  newGroup,
} from '../draft/condition-tree.ts'
import { faultsAt, faultsIn } from '../draft/faults.ts'
import { clauseWords } from '../draft/words.ts'
import { useBuilder } from './builder-context.ts'
import { ClauseInputs } from './clause-inputs.tsx'
import { OperatorNote } from './comparison-inputs.tsx'
import { AddFilterButton } from './events-inputs.tsx'
import { FaultList } from './fault-list.tsx'
import { InlineSelect } from './inline-input.tsx'

/** Replaces the part with this id, and moves the focus. */
export type EditPart = (
  id: string,
  edit: (part: ConditionTree) => readonly ConditionTree[],
  focusId?: string,
) => void

interface PartProps<Part extends ConditionTree = ConditionTree> {
  readonly part: Part
  /** That of its outermost `not`, in what is sent to the service. */
  readonly pointer: string
  /** The group around it; undefined for the whole condition. */
  readonly parent?: Group
  readonly onEdit: EditPart
}

/** The id of the button that adds a clause to a group. */
const addId = (groupId: string): string => `${groupId}-add`

/** A group or a clause of a condition. */
export function PartInputs({ part, ...rest }: PartProps): ReactElement {
  return part.kind === 'group' ? (
    <GroupInputs part={part} {...rest} />
  ) : (
    <ClauseBox part={part} {...rest} />
  )
}

const JOINS: readonly (readonly [Join, string])[] = [
  ['and', 'All of these hold'],
  ['or', 'Any of these holds'],
]

function GroupInputs({ part, pointer, parent, onEdit }: PartProps<Group>): ReactElement {
  const { faults } = useBuilder()
  const inner = innerPointer(part, pointer)
  const own = faultsAt(faults, [pointer, inner, `${inner}/${part.join}`])
  return (
    <div
      role="group"
      aria-label={part.join === 'and' ? 'Group: all hold' : 'Group: any holds'}
      className={classNames(
        'border-line flex flex-col gap-2',
        parent !== undefined && 'bg-sunken rounded-panel border p-2 sm:p-3',
      )}
    >
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <NotMark part={part} onEdit={onEdit} />
        <InlineSelect
          id={part.id}
          label="How the group is joined"
          value={part.join}
          options={JOINS}
          onPick={(join) => onEdit(part.id, () => [{ ...part, join }])}
        />
        <GroupActions part={part} {...(parent && { parent })} onEdit={onEdit} />
      </div>
      <FaultList faults={own} />
      <ul className="flex flex-col gap-2">
        {part.parts.map((each, index) => (
          <li key={each.id} className="flex flex-col gap-2">
            {index > 0 && <span className="text-ink-faint text-note font-medium">{part.join}</span>}
            <PartInputs
              part={each}
              pointer={`${inner}/${part.join}/${index}`}
              parent={part}
              onEdit={onEdit}
            />
          </li>
        ))}
      </ul>
      <AddButtons part={part} onEdit={onEdit} />
    </div>
  )
}

function AddButtons({ part, onEdit }: Omit<PartProps<Group>, 'pointer'>): ReactElement {
  const add = (added: ConditionTree, focusId: string): void =>
    onEdit(part.id, () => [{ ...part, parts: [...part.parts, added] }], focusId)
  const addGroup = (): void => {
    const clause = newClausePart()
    add(newGroup(part.join === 'and' ? 'or' : 'and', [clause]), clause.id)
  }
  const addClause = (): void => {
    const clause = newClausePart()
    add(clause, clause.id)
  }
  return (
    <div className="flex flex-wrap gap-2">
      <Button id={addId(part.id)} onClick={addClause}>
        <Icon name="plus" className="size-3" /> Add clause
      </Button>
      <Button look="quiet" onClick={addGroup}>
        <Icon name="plus" className="size-3" /> Add group
      </Button>
    </div>
  )
}

function GroupActions({ part, parent, onEdit }: Omit<PartProps<Group>, 'pointer'>): ReactElement {
  return (
    <div className="ml-auto flex flex-wrap gap-1">
      <NegateButton part={part} onEdit={onEdit} />
      {parent !== undefined && part.nots === 0 && part.parts.length > 0 && (
        <SmallButton onClick={() => onEdit(part.id, () => part.parts, part.parts[0]!.id)}>
          Ungroup
        </SmallButton>
      )}
      {parent !== undefined && (
        <SmallButton onClick={() => onEdit(part.id, () => [], addId(parent.id))}>
          Remove group
        </SmallButton>
      )}
    </div>
  )
}

const KINDS: readonly (readonly [ClauseKind, string])[] = [
  ['events', 'Events'],
  ['trait', 'Trait'],
  ['computedTrait', 'Computed trait'],
  ['audience', 'Member of'],
]

function ClauseBox({ part, pointer, parent, onEdit }: PartProps<ClausePart>): ReactElement {
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

type NotProps = Omit<PartProps, 'pointer'>

/** Before a part that is negated: it says so, and takes it back. JSON can have several `not`: each click takes one away. */
function NotMark({ part, onEdit }: NotProps): ReactElement | null {
  if (part.nots === 0) return null
  return (
    <Button
      className="border-accent bg-accent-soft"
      aria-label="Not. Click to take it back"
      onClick={() => onEdit(part.id, (each) => [{ ...each, nots: each.nots - 1 }], part.id)}
    >
      {'not '.repeat(part.nots)}
      <Icon name="cross" className="size-3" />
    </Button>
  )
}

function NegateButton({ part, onEdit }: NotProps): ReactElement | null {
  if (part.nots > 0) return null
  return (
    <SmallButton onClick={() => onEdit(part.id, (each) => [{ ...each, nots: 1 }], part.id)}>
      Negate
    </SmallButton>
  )
}

function SmallButton({ className, ...rest }: React.ComponentProps<'button'>): ReactElement {
  return <Button look="quiet" className={classNames('min-h-6 px-2 py-0.5', className)} {...rest} />
}
