import type { ReactElement, ReactNode } from 'react'
import { CodeBlock } from '../../design/texts/code-block.tsx'
import { shownText } from '../../format/shown-text.ts'
import { indented } from '../request-text.ts'
import type { TestedPayloads } from './tested-payloads.ts'

interface PayloadColumnsProps {
  readonly payloads: TestedPayloads
}

/** The stored payload beside the body that is made from it. On a narrow screen, one below the other. */
export function PayloadColumns({ payloads }: PayloadColumnsProps): ReactElement {
  const { stored, formatted, sent } = payloads
  return (
    <div className="grid grid-cols-1 gap-3 md:auto-cols-fr md:grid-flow-col">
      <Column title="Stored payload">
        <CodeBlock text={indented(stored)} what="the stored payload" />
      </Column>
      {formatted !== undefined && (
        <Column title="Before the transform">
          <CodeBlock text={indented(formatted)} what="the payload before the transform" />
        </Column>
      )}
      <Column title="Body">
        {sent.kind === 'body' ? (
          <CodeBlock text={indented(sent.body)} what="the body" />
        ) : sent.kind === 'nothing' ? (
          <p>Nothing is sent: the transform returned nothing.</p>
        ) : (
          <p className="text-failed">{shownText(sent.error, 1_000)}</p>
        )}
      </Column>
    </div>
  )
}

interface ColumnProps {
  readonly title: string
  readonly children: ReactNode
}

function Column({ title, children }: ColumnProps): ReactElement {
  return (
    <section className="flex min-w-0 flex-col gap-1">
      <h3 className="text-dense font-medium">{title}</h3>
      {children}
    </section>
  )
}
