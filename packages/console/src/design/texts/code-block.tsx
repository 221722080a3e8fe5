import type { ReactElement } from 'react'
import { shownLines } from '../../format/shown-text.ts'
import { classNames } from '../class-names.ts'
import { CopyButton } from '../controls/copy-button.tsx'

interface CodeBlockProps {
  readonly text: string
  /** What it is: "the request", "the command". */
  readonly what: string
  readonly className?: string
}

/** Text to read or copy. What is copied is the text itself; what cannot be seen is shown by a sign. */
export function CodeBlock({ text, what, className }: CodeBlockProps): ReactElement {
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
        <code>{shownLines(text)}</code>
      </pre>
    </div>
  )
}
