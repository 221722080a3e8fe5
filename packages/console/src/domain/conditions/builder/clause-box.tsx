import type { ReactElement } from 'react'
import { classNames } from '../../../design/class-names.ts'
import { type ClausePart, clausePart, newGroup } from '../draft/condition-tree.ts'
import { useBuilder } from './builder-context.ts'
import type { PartProps } from './clause-editor.ts'
import { ErrorList, errorsIn } from './error-list.tsx'
import { addButtonId, NotButton, NotMark, SmallButton } from './part-buttons.tsx'

type ClauseBoxProps<Clause> = PartProps<Clause, ClausePart<Clause>>

/** The inputs, errors and actions of a clause. */
export function ClauseBox<Clause>(props: ClauseBoxProps<Clause>): ReactElement {
  const { editor, part, pointer, onEdit } = props
  const { errors: all, nameOf } = useBuilder()
  const { notation, Inputs, AddButton } = editor
  const { clause } = part
  const errors = errorsIn(all, pointer)
  const change = (next: Clause): void => onEdit(part.id, () => [{ ...part, clause: next }])
  return (
    <div
      role="group"
      aria-label={`Condition: ${notation.describe(clause, nameOf)}`}
      className={classNames(
        'bg-surface rounded-panel flex flex-col gap-1.5 border p-2 sm:p-3',
        errors.length > 0 ? 'border-failed' : 'border-line',
      )}
    >
      <div className="flex flex-wrap items-center gap-2">
        <NotMark part={part} onEdit={onEdit} />
        <Inputs id={part.id} clause={clause} onChange={change} />
      </div>
      <ErrorList errors={errors} />
      <div className="flex flex-wrap items-center justify-end gap-1">
        <span className="mr-auto">
          <AddButton clause={clause} onChange={change} />
        </span>
        <ClauseActions {...props} />
      </div>
    </div>
  )
}

function ClauseActions<Clause>(props: ClauseBoxProps<Clause>): ReactElement {
  const { editor, part, parent, onEdit } = props
  const { draftOf, jsonOf } = editor.notation
  const otherJoin = parent?.join === 'or' ? 'and' : 'or'
  const duplicate = (): void => {
    const copy = { ...clausePart(draftOf(jsonOf(part.clause))), nots: part.nots }
    onEdit(part.id, (each) => [each, copy], copy.id)
  }
  return (
    <>
      <NotButton part={part} onEdit={onEdit} />
      <SmallButton
        title={`Wrap in an “${otherJoin}” group`}
        onClick={() => onEdit(part.id, (each) => [newGroup(otherJoin, [each])], part.id)}
      >
        Group
      </SmallButton>
      <SmallButton onClick={duplicate}>Duplicate</SmallButton>
      <SmallButton onClick={() => onEdit(part.id, () => [], parent && addButtonId(parent.id))}>
        Remove
      </SmallButton>
    </>
  )
}
