import { type ReactElement, useEffect, useState } from 'react'
import { classNames } from '../../../design/class-names.ts'
import { Button } from '../../../design/controls/button.tsx'
import { Icon } from '../../../design/icon.tsx'
import {
  clausePart,
  type ConditionTree,
  type Group,
  innerPointer,
  newGroup,
  withPart,
} from '../draft/condition-tree.ts'
import type { Join } from '../draft/notation.ts'
import { useBuilder } from './builder-context.ts'
import { ClauseBox } from './clause-box.tsx'
import type { ClauseEditor, EditPart, PartProps } from './clause-editor.ts'
import { ErrorList } from './error-list.tsx'
import { InlineSelect } from './inline-input.tsx'
import { addButtonId, NotButton, NotMark, SmallButton } from './part-buttons.tsx'

interface ConditionInputsProps<Clause> {
  readonly editor: ClauseEditor<Clause>
  /** The JSON Pointer of the condition. */
  readonly pointer: string
  readonly draft: ConditionTree<Clause>
  readonly onChange: (draft: ConditionTree<Clause>) => void
}

export function ConditionInputs<Clause>(props: ConditionInputsProps<Clause>): ReactElement {
  const { editor, pointer, draft, onChange } = props
  const [focus, setFocus] = useState<{ readonly id: string }>()
  // Focus follows added and moved parts, and stays near removed ones.
  useEffect(() => {
    if (focus !== undefined) document.getElementById(focus.id)?.focus()
  }, [focus])
  const edit: EditPart<Clause> = (id, change, focusId) => {
    onChange(withPart(draft, id, change, editor.notation.join))
    if (focusId !== undefined) setFocus({ id: focusId })
  }
  return (
    <div className="flex flex-col gap-2">
      <PartInputs editor={editor} part={draft} pointer={pointer} parent={undefined} onEdit={edit} />
      {draft.kind === 'clause' && (
        <AddButton
          label="Add condition"
          onAdd={() => {
            const clause = clausePart(editor.notation.newDraft())
            edit(draft.id, (part) => [part, clause], clause.id)
          }}
        />
      )}
    </div>
  )
}

function PartInputs<Clause>({ part, ...rest }: PartProps<Clause>): ReactElement {
  return part.kind === 'group' ? (
    <GroupInputs part={part} {...rest} />
  ) : (
    <ClauseBox part={part} {...rest} />
  )
}

const JOINS: readonly (readonly [Join, string])[] = [
  ['and', 'All of'],
  ['or', 'Any of'],
]

type GroupProps<Clause> = PartProps<Clause, Group<Clause>>

function GroupInputs<Clause>(props: GroupProps<Clause>): ReactElement {
  const { editor, part, pointer, parent, onEdit } = props
  const { errors } = useBuilder()
  const inner = innerPointer(part, pointer)
  const parts = `${inner}/${part.join}`
  return (
    <div
      role="group"
      aria-label={part.join === 'and' ? 'Group: all of' : 'Group: any of'}
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
        <GroupActions {...props} />
      </div>
      <ErrorList errors={errors.filter((each) => [pointer, inner, parts].includes(each.pointer))} />
      <ul className="flex flex-col gap-2">
        {part.parts.map((each, index) => (
          <li key={each.id} className="flex flex-col gap-2">
            {index > 0 && <span className="text-ink-faint text-note font-medium">{part.join}</span>}
            <PartInputs
              editor={editor}
              part={each}
              pointer={`${parts}/${index}`}
              parent={part}
              onEdit={onEdit}
            />
          </li>
        ))}
      </ul>
      <AddButtons {...props} />
    </div>
  )
}

function AddButtons<Clause>({ editor, part, onEdit }: GroupProps<Clause>): ReactElement {
  const add = (wrapped: boolean): void => {
    const clause = clausePart(editor.notation.newDraft())
    const added = wrapped ? newGroup(part.join === 'and' ? 'or' : 'and', [clause]) : clause
    onEdit(part.id, () => [{ ...part, parts: [...part.parts, added] }], clause.id)
  }
  return (
    <div className="flex flex-wrap gap-2">
      <AddButton id={addButtonId(part.id)} label="Add condition" onAdd={() => add(false)} />
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

function GroupActions<Clause>({ part, parent, onEdit }: GroupProps<Clause>): ReactElement {
  return (
    <div className="ml-auto flex flex-wrap gap-1">
      <NotButton part={part} onEdit={onEdit} />
      {parent !== undefined && part.nots === 0 && part.parts.length > 0 && (
        <SmallButton onClick={() => onEdit(part.id, () => part.parts, part.parts[0]!.id)}>
          Ungroup
        </SmallButton>
      )}
      {parent !== undefined && (
        <SmallButton onClick={() => onEdit(part.id, () => [], addButtonId(parent.id))}>
          Remove group
        </SmallButton>
      )}
    </div>
  )
}
