import type { ReactElement } from 'react'
import type { api } from '../../api/client.ts'
import { CodeBlock } from '../../design/texts/code-block.tsx'
import { JsonBlock } from '../../design/texts/json-block.tsx'
import { TabList } from '../../design/controls/tab-list.tsx'
import { indented } from '../../domain/request-text.ts'
import { useUrlState } from '../../shell/url-state.ts'
import { jsonIn } from './requests.ts'

type WholeRequest = Awaited<ReturnType<typeof api.getInspectedRequest>>

/** A longer body is shown without colours: each coloured word is an element of the page. */
const MOST_COLOURED = 100_000

const TABS = [
  ['pretty', 'Pretty'],
  ['raw', 'Raw'],
] as const

/** The first line, the headers in their order, and the body. */
export function RequestText({ request }: { readonly request: WholeRequest }): ReactElement {
  const { method, path, headers, body } = request
  const lines = headers.map(({ name, value }) => `${name}: ${value}`)
  return (
    <section className="flex min-w-0 flex-col gap-2">
      <h3 className="font-semibold">Request</h3>
      <CodeBlock
        text={[`${method} ${path} HTTP/1.1`, ...lines].join('\n')}
        what="the headers of the request"
      />
      <p className="text-ink-faint text-note">
        In the order in which they came. The values of static headers are [hidden]: they are
        secrets. So are signatures, for viewers.
      </p>
      <h3 className="mt-2 font-semibold">Body</h3>
      {body === '' ? <p className="text-ink-soft">The body is empty.</p> : <Body body={body} />}
    </section>
  )
}

function Body({ body }: { readonly body: string }): ReactElement {
  const [{ body: form }, setUrl] = useUrlState<'body'>()
  const json = jsonIn(body)
  if (json === undefined) return <CodeBlock text={body} what="the body of the request" />
  const isRaw = form === 'raw'
  return (
    <TabList
      label="How the body is shown"
      tabs={TABS}
      value={isRaw ? 'raw' : 'pretty'}
      onChange={(next) => setUrl({ body: next === 'raw' ? 'raw' : undefined })}
    >
      {isRaw ? (
        <CodeBlock text={body} what="the body of the request" />
      ) : body.length > MOST_COLOURED ? (
        <CodeBlock text={indented(body)} what="the body of the request" />
      ) : (
        <JsonBlock value={json.value} what="the body of the request" />
      )}
    </TabList>
  )
}
