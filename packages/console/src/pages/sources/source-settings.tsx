import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactElement, useState } from 'react'
import { api } from '../../api/client.ts'
import type { Source } from '@hookline/cli/management-client'
import { problemOf } from '../../api/problem.ts'
import { destinationsQuery } from '../../api/queries.ts'
import { Button } from '../../design/controls/button.tsx'
import { Confirm } from '../../design/windows/confirm.tsx'
import { toast } from '../../design/windows/toasts.tsx'
import { nameToType } from '../../format/name-to-type.ts'
import { shownText } from '../../format/shown-text.ts'
import { changeOf, fieldsOf, rateLimitFault } from './source-fields.ts'
import { LimitInputs, NameInput } from './source-form.tsx'

interface SourceSettingsProps {
  readonly source: Source
  readonly onDeleted: () => void
}

export function SourceSettings({ source, onDeleted }: SourceSettingsProps): ReactElement {
  const [isDeleting, setDeleting] = useState(false)
  return (
    <div className="flex flex-col gap-6">
      <SettingsForm key={source.version} source={source} />
      <section
        className="border-line flex flex-col items-start gap-2 border-t pt-4"
        aria-labelledby="enabled"
      >
        <h3 id="enabled" className="font-semibold">
          {source.enabled ? 'Disable the source' : 'The source is disabled'}
        </h3>
        <p className="text-ink-soft max-w-prose">
          A disabled source refuses all calls. What it has received before is delivered all the
          same.
        </p>
        <EnableButton source={source} />
      </section>
      <section
        className="border-line flex flex-col items-start gap-2 border-t pt-4"
        aria-labelledby="delete"
      >
        <h3 id="delete" className="font-semibold">
          Delete the source
        </h3>
        <p className="text-ink-soft max-w-prose">
          Its write keys and its destinations are deleted with it.
        </p>
        <Button look="danger" onClick={() => setDeleting(true)}>
          Delete the source…
        </Button>
      </section>
      {isDeleting && (
        <DeleteSource source={source} onDeleted={onDeleted} onClose={() => setDeleting(false)} />
      )}
    </div>
  )
}

function useChange(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (change: Parameters<typeof api.changeSource>[1]) => api.changeSource(id, change),
    onSuccess: () => client.invalidateQueries({ queryKey: ['sources'] }),
  })
}

/** Its key is the version of the source: after a change, it begins with what the service has. */
function SettingsForm({ source }: { readonly source: Source }): ReactElement {
  const [fields, setFields] = useState(fieldsOf(source))
  const save = useChange(source.id)
  const change = changeOf(source, fields)
  const hasChange = Object.keys(change).length > 0
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    save.mutate(change, { onSuccess: () => toast('The source is changed.') })
  }
  const inputs = { fields, onChange: setFields, error: save.error }
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <NameInput {...inputs} />
      <LimitInputs {...inputs} />
      {change.space !== undefined && (
        <p className="bg-retrying-soft text-retrying rounded-small text-dense px-3 py-2">
          The change counts for events that arrive from now on. What profiles of the space “
          {shownText(source.space)}” know from earlier events stays there.
        </p>
      )}
      {save.error !== null && (
        <p role="alert" className="text-failed">
          {problemOf(save.error).message}
        </p>
      )}
      <Button
        type="submit"
        look="main"
        className="self-start"
        isBusy={save.isPending}
        disabled={!hasChange || rateLimitFault(fields) !== undefined || fields.name.trim() === ''}
      >
        Save
      </Button>
    </form>
  )
}

function EnableButton({ source }: { readonly source: Source }): ReactElement {
  const [isAsking, setAsking] = useState(false)
  const change = useChange(source.id)
  const enable = (): void =>
    change.mutate(
      { enabled: true },
      {
        onSuccess: () => toast('The source accepts calls.'),
        onError: (error) => toast(problemOf(error).message, 'failed'),
      },
    )
  if (!source.enabled)
    return (
      <Button look="main" isBusy={change.isPending} onClick={enable}>
        Enable the source
      </Button>
    )
  return (
    <>
      <Button onClick={() => setAsking(true)}>Disable the source…</Button>
      {isAsking && (
        <Confirm
          title="Disable this source?"
          action="Disable the source"
          onClose={() => setAsking(false)}
          onConfirm={async () => {
            await change.mutateAsync({ enabled: false })
            toast('The source refuses all calls.')
          }}
        >
          <p>
            From now on, all its calls are refused with 403 <code>source_disabled</code>. Client
            libraries do not send refused calls again: they are lost.
          </p>
          <p>You can enable the source again at any time.</p>
        </Confirm>
      )}
    </>
  )
}

const MOST_NAMES = 10

function DeleteSource({
  source,
  onDeleted,
  onClose,
}: SourceSettingsProps & { readonly onClose: () => void }): ReactElement {
  const client = useQueryClient()
  const { data } = useQuery(destinationsQuery)
  const destinations = data?.filter(({ sourceId }) => sourceId === source.id)
  return (
    <Confirm
      title={`Delete ${shownText(source.name, 80)}?`}
      action="Delete the source"
      mustType={nameToType(source.name, source.id)}
      onClose={onClose}
      onConfirm={async () => {
        await api.removeSource(source.id)
        await Promise.all(
          ['sources', 'destinations'].map((key) => client.invalidateQueries({ queryKey: [key] })),
        )
        toast('The source is deleted.')
        onDeleted()
      }}
    >
      <p>
        Calls with its {source.writeKeys.length === 1 ? 'write key' : 'write keys'} are refused from
        now on, and client libraries do not send them again.
      </p>
      {destinations === undefined || destinations.length > 0 ? (
        <>
          <p className="text-failed">
            Its destinations are deleted too, and what waits for them is not delivered:
          </p>
          <ul className="list-disc pl-5">
            {destinations?.slice(0, MOST_NAMES).map(({ id, name }) => (
              <li key={id}>{shownText(name, 80)}</li>
            ))}
            {(destinations?.length ?? 0) > MOST_NAMES && (
              <li>and {destinations!.length - MOST_NAMES} more</li>
            )}
          </ul>
        </>
      ) : (
        <p>It has no destinations.</p>
      )}
      <p>This cannot be undone.</p>
    </Confirm>
  )
}
