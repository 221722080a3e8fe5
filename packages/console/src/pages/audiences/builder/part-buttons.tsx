import type { ComponentProps, ReactElement } from 'react'
import { classNames } from '../../../design/class-names.ts'
import { Button } from '../../../design/controls/button.tsx'
import { Icon } from '../../../design/icon.tsx'
import type { ConditionTree, Group } from '../draft/condition-tree.ts'

/** Replaces the part with this id and moves the focus. */
export type EditPart = (
  id: string,
  edit: (part: ConditionTree) => readonly ConditionTree[],
  focusId?: string,
) => void

export interface PartProps<Part extends ConditionTree = ConditionTree> {
  readonly part: Part
  /** The JSON Pointer of its outermost `not`. */
  readonly pointer: string
  /** `undefined` at the root. */
  readonly parent: Group | undefined
  readonly onEdit: EditPart
}

/** The id of a group's button that adds a clause. */
export const addId = (groupId: string): string => `${groupId}-add`

type NotProps = Pick<PartProps, 'part' | 'onEdit'>

/** Shows the `not`s of a part; a click removes one. */
export function NotMark({ part, onEdit }: NotProps): ReactElement | null {
  if (part.nots === 0) return null
  return (
    <Button
      className="border-accent bg-accent-soft"
      aria-label="Remove “not”"
      onClick={() => onEdit(part.id, (each) => [{ ...each, nots: each.nots - 1 }], part.id)}
    >
      {'not '.repeat(part.nots)}
      <Icon name="cross" className="size-3" />
    </Button>
  )
}

export function NegateButton({ part, onEdit }: NotProps): ReactElement | null {
  if (part.nots > 0) return null
  return (
    <SmallButton onClick={() => onEdit(part.id, (each) => [{ ...each, nots: 1 }], part.id)}>
      Negate
    </SmallButton>
  )
}

export function SmallButton({ className, ...rest }: ComponentProps<'button'>): ReactElement {
  return <Button look="quiet" className={classNames('min-h-6 px-2 py-0.5', className)} {...rest} />
}
