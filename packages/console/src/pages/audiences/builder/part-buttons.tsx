import type { ComponentProps, ReactElement } from 'react'
import { Button } from '../../../design/controls/button.tsx'
import { classNames } from '../../../design/class-names.ts'
import { Icon } from '../../../design/icon.tsx'
import type { PartProps } from './part-props.ts'

type NotProps = Pick<PartProps, 'part' | 'onEdit'>

/** Before a part that is negated: it says so, and takes it back. JSON can have several `not`: each click takes one away. */
export function NotMark({ part, onEdit }: NotProps): ReactElement | null {
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

/** Negates a part that is not negated yet. */
export function NegateButton({ part, onEdit }: NotProps): ReactElement | null {
  if (part.nots > 0) return null
  return (
    <SmallButton onClick={() => onEdit(part.id, (each) => [{ ...each, nots: 1 }], part.id)}>
      Negate
    </SmallButton>
  )
}

/** A button that changes the structure of a condition. */
export function SmallButton({ className, ...rest }: ComponentProps<'button'>): ReactElement {
  return <Button look="quiet" className={classNames('min-h-6 px-2 py-0.5', className)} {...rest} />
}
