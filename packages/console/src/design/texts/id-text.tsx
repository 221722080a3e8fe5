import type { ReactElement } from 'react'
import { CopyButton } from '../controls/copy-button.tsx'
import { shownText } from '../../format/shown-text.ts'

interface IdTextProps {
  readonly id: string
  readonly what?: string
}

export function IdText({ id, what = 'the ID' }: IdTextProps): ReactElement {
  return (
    <span className="inline-flex max-w-full items-center gap-0.5">
      <code className="text-dense break-all">{shownText(id)}</code>
      <CopyButton text={id} what={what} className="-my-1" />
    </span>
  )
}
