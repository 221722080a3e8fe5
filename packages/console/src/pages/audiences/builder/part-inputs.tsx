import type { ReactElement } from 'react'
import { Button } from '../../../design/controls/button.tsx'
import { classNames } from '../../../design/class-names.ts'
import { Icon } from '../../../design/icon.tsx'
import {
  type ConditionTree,
  type Group,
  innerPointer,
  type Join,
  newClausePart,
  newGroup,
} from '../draft/condition-tree.ts'
import { faultsAt } from '../draft/faults.ts'
import { useBuilder } from './builder-context.ts'
import { ClauseBox } from './clause-box.tsx'
import { FaultList } from './fault-list.tsx'
import { InlineSelect } from './inputs/inline-input.tsx'
import { NegateButton, NotMark, SmallButton } from './part-buttons.tsx'
import { addId, type PartProps } from './part-props.ts'

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
