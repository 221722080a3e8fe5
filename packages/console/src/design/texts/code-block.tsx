import type { ReactElement, ReactNode } from 'react'
import { shownLines } from '../../format/shown-text.ts'
import { classNames } from '../class-names.ts'
import { CopyButton } from '../controls/copy-button.tsx'

interface CodeBlockProps {
  readonly text: string
  /** The label for screen readers: "the request". */
  readonly what: string
  readonly className?: string
  /** The text with colours. */
  readonly children?: ReactNode
}

/** Text with a copy button. Invisible characters are shown, but copied as they are. */
export function CodeBlock({ text, what, className, children }: CodeBlockProps): ReactElement {
  return (
    <div
      className={classNames(
        'bg-sunken border-line rounded-small relative min-w-0 border',
        className,
      )}
    >
      <CopyButton text={text} what={what} className="bg-sunken absolute top-1.5 right-1.5" />
      <pre
        tabIndex={0}
        aria-label={what}
        className="text-dense max-h-96 overflow-auto p-3 pr-9 break-words whitespace-pre-wrap"
      >
        <code>{children ?? shownLines(text)}</code>
      </pre>
    </div>
  )
}
