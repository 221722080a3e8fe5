import type { ComponentProps, ReactElement } from 'react'
import { classNames } from '../../../design/class-names.ts'
import { Button } from '../../../design/controls/button.tsx'
import { Icon } from '../../../design/icon.tsx'
import type { PartProps } from './clause-editor.ts'

/** The DOM id of the button that adds a clause to a group. */
export const addButtonId = (groupId: string): string => `${groupId}-add`

type NotProps<Clause> = Pick<PartProps<Clause>, 'part' | 'onEdit'>

/** Shows the `not`s of a part; a click removes one. */
export function NotMark<Clause>({ part, onEdit }: NotProps<Clause>): ReactElement | null {
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

export function NotButton<Clause>({ part, onEdit }: NotProps<Clause>): ReactElement | null {
  if (part.nots > 0) return null
  return (
    <SmallButton onClick={() => onEdit(part.id, (each) => [{ ...each, nots: 1 }], part.id)}>
      Not
    </SmallButton>
  )
}

export function SmallButton({ className, ...rest }: ComponentProps<'button'>): ReactElement {
  return (
    <Button variant="quiet" className={classNames('min-h-6 px-2 py-0.5', className)} {...rest} />
  )
}
