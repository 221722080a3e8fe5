import { type ReactElement, useEffect, useState } from 'react'
import { classNames } from '../../../design/class-names.ts'
import { Button } from '../../../design/controls/button.tsx'
import { Icon } from '../../../design/icon.tsx'
import {
  type ConditionTree,
  type Group,
  innerPointer,
  type Join,
  newClausePart,
  newGroup,
  withPart,
} from '../draft/condition-tree.ts'
import { useBuilder } from './builder-context.ts'
import { ClauseBox } from './clause-box.tsx'
import { FaultList } from './fault-list.tsx'
import { InlineSelect } from './inputs/inline-input.tsx'
import {
  addId,
  type EditPart,
  NegateButton,
  NotMark,
  type PartProps,
  SmallButton,
} from './part-buttons.tsx'

interface ConditionInputsProps {
  readonly draft: ConditionTree
  readonly onChange: (draft: ConditionTree) => void
}

export function ConditionInputs({ draft, onChange }: ConditionInputsProps): ReactElement {
  const [focus, setFocus] = useState<{ readonly id: string }>()
  // Focus follows added and moved parts, and stays near removed ones.
  useEffect(() => {
    if (focus !== undefined) document.getElementById(focus.id)?.focus()
  }, [focus])
  const edit: EditPart = (id, change, focusId) => {
    onChange(withPart(draft, id, change))
    if (focusId !== undefined) setFocus({ id: focusId })
  }
  return (
    <div className="flex flex-col gap-2">
      <PartInputs part={draft} pointer="/condition" parent={undefined} onEdit={edit} />
      {draft.kind === 'clause' && (
        <AddButton
          label="Add clause"
          onAdd={() => {
            const clause = newClausePart()
            edit(draft.id, (part) => [part, clause], clause.id)
          }}
        />
      )}
    </div>
  )
}

function PartInputs({ part, ...rest }: PartProps): ReactElement {
  return part.kind === 'group' ? (
    <GroupInputs part={part} {...rest} />
  ) : (
    <ClauseBox part={part} {...rest} />
  )
}

const JOINS: readonly (readonly [Join, string])[] = [
  ['and', 'All of these'],
  ['or', 'Any of these'],
]

function GroupInputs({ part, pointer, parent, onEdit }: PartProps<Group>): ReactElement {
  const { faults } = useBuilder()
  const inner = innerPointer(part, pointer)
  const parts = `${inner}/${part.join}`
  return (
    <div
      role="group"
      aria-label={part.join === 'and' ? 'Group: all of these' : 'Group: any of these'}
      className={classNames(
        'border-line flex flex-col gap-2',
        parent !== undefined && 'bg-sunken rounded-panel border p-2 sm:p-3',
      )}
    >
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <NotMark part={part} onEdit={onEdit} />
        <InlineSelect
          id={part.id}
          label="Match"
          value={part.join}
          options={JOINS}
          onPick={(join) => onEdit(part.id, () => [{ ...part, join }])}
        />
        <GroupActions part={part} parent={parent} onEdit={onEdit} />
      </div>
      <FaultList faults={faults.filter((each) => [pointer, inner, parts].includes(each.pointer))} />
      <ul className="flex flex-col gap-2">
        {part.parts.map((each, index) => (
          <li key={each.id} className="flex flex-col gap-2">
            {index > 0 && <span className="text-ink-faint text-note font-medium">{part.join}</span>}
            <PartInputs part={each} pointer={`${parts}/${index}`} parent={part} onEdit={onEdit} />
          </li>
        ))}
      </ul>
      <AddButtons part={part} onEdit={onEdit} />
    </div>
  )
}

function AddButtons({ part, onEdit }: Pick<PartProps<Group>, 'part' | 'onEdit'>): ReactElement {
  const add = (wrapped: boolean): void => {
    const clause = newClausePart()
    const added = wrapped ? newGroup(part.join === 'and' ? 'or' : 'and', [clause]) : clause
    onEdit(part.id, () => [{ ...part, parts: [...part.parts, added] }], clause.id)
  }
  return (
    <div className="flex flex-wrap gap-2">
      <AddButton id={addId(part.id)} label="Add clause" onAdd={() => add(false)} />
      <AddButton label="Add group" onAdd={() => add(true)} />
    </div>
  )
}

interface AddButtonProps {
  readonly id?: string
  readonly label: string
  readonly onAdd: () => void
}

function AddButton({ id, label, onAdd }: AddButtonProps): ReactElement {
  return (
    <Button id={id} className="self-start" onClick={onAdd}>
      <Icon name="plus" className="size-3" /> {label}
    </Button>
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
