import { type ReactElement, type ReactNode, useState } from 'react'
import { CodeBlock } from '../../design/texts/code-block.tsx'
import { Button } from '../../design/controls/button.tsx'
import { Field, TextInput } from '../../design/controls/field.tsx'
import { TabList } from '../../design/controls/tab-list.tsx'
import { useUrlState } from '../../shell/url-state.ts'
import { addressOf } from './address.ts'
import { setIngestAddress, useIngestAddress } from './ingest-address.ts'
import { snippetsFor } from './snippets.ts'
import { VERIFIERS } from './verify.ts'

/** Code for a first call, by language. */
export function SnippetTabs({ writeKey }: { readonly writeKey: string }): ReactElement {
  const address = useIngestAddress()
  const snippets = snippetsFor({ address, writeKey })
  const [{ code }, setUrl] = useUrlState<'code'>()
  const snippet = snippets.find(({ id }) => id === code) ?? snippets[0]!
  return (
    <TabList
      label="Languages"
      tabs={snippets.map(({ id, name }) => [id, name] as const)}
      value={snippet.id}
      onChange={(id) => setUrl({ code: id === snippets[0]!.id ? undefined : id })}
    >
      <div className="flex flex-col gap-3">
        {snippet.install !== undefined && (
          <Step words="Install">
            <CodeBlock text={snippet.install} what="the install command" />
          </Step>
        )}
        <Step words={snippet.file === undefined ? undefined : `Save as ${snippet.file}`}>
          <CodeBlock text={snippet.code} what={`the code for ${snippet.name}`} />
        </Step>
        {snippet.run !== undefined && (
          <Step words="Run">
            <CodeBlock text={snippet.run} what="the run command" />
          </Step>
        )}
        {snippet.note !== undefined && (
          <p className="text-ink-soft text-dense max-w-prose">{snippet.note}</p>
        )}
        <AddressLine />
      </div>
    </TabList>
  )
}

/** Code that verifies signatures, by language. */
export function VerifyTabs(): ReactElement {
  const [{ verify }, setUrl] = useUrlState<'verify'>()
  const verifier = VERIFIERS.find(({ id }) => id === verify) ?? VERIFIERS[0]!
  return (
    <TabList
      label="Receiver languages"
      tabs={VERIFIERS.map(({ id, name }) => [id, name] as const)}
      value={verifier.id}
      onChange={(id) => setUrl({ verify: id === VERIFIERS[0]!.id ? undefined : id })}
    >
      <div className="flex flex-col gap-3">
        <CodeBlock text={verifier.code} what={`the verifier in ${verifier.name}`} />
        <p className="text-ink-soft text-dense max-w-prose">{verifier.note}</p>
      </div>
    </TabList>
  )
}

interface StepProps {
  readonly words: string | undefined
  readonly children: ReactNode
}

function Step({ words, children }: StepProps): ReactElement {
  return (
    <div className="flex min-w-0 flex-col gap-1">
      {words !== undefined && <p className="text-note text-ink-faint">{words}</p>}
      {children}
    </div>
  )
}

/** Applications may need a different address than the console. */
function AddressLine(): ReactElement {
  const address = useIngestAddress()
  const [draft, setDraft] = useState<string>()
  if (draft === undefined)
    return (
      <p className="text-ink-faint text-note flex flex-wrap items-center gap-x-2">
        <span>Calls go to {address}</span>
        <Button variant="quiet" className="min-h-6 px-1" onClick={() => setDraft(address)}>
          Use another address
        </Button>
      </p>
    )
  const next = addressOf(draft)
  return (
    <form
      className="flex flex-wrap items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        if (next === undefined) return
        setIngestAddress(next)
        setDraft(undefined)
      }}
    >
      <Field
        className="min-w-60 flex-1"
        label="Address of the ingestion API"
        hint="The address of your proxy, or of the ingestion port if adminPort is set. Stored in this browser."
        fieldError={
          next === undefined ? 'Enter a URL such as https://events.example.com.' : undefined
        }
      >
        {(ids) => (
          <TextInput
            {...ids}
            value={draft}
            onChange={({ target }) => setDraft(target.value)}
            autoFocus
          />
        )}
      </Field>
      <Button type="submit" className="mb-6" disabled={next === undefined}>
        Save
      </Button>
    </form>
  )
}
