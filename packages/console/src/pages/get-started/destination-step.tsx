import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, type ReactElement, useState } from 'react'
import { api } from '../../api/client.ts'
import type { Destination, Source } from '@hookline/cli/management-client'
import { faultAt, problemOf } from '../../api/problem.ts'
import { useMay } from '../../api/session.ts'
import { Button } from '../../design/controls/button.tsx'
import { Field, TextInput } from '../../design/controls/field.tsx'
import { inspectorQuery } from '../../domain/inspector.ts'
import { newSecret } from '../../domain/new-secret.ts'
import { shownText } from '../../format/shown-text.ts'

interface DestinationStepProps {
  readonly source: Source | undefined
  readonly destination: Destination | undefined
  /** The shared secret of a destination that was created here: the service does not show it again. */
  readonly onSecret: (secret: string) => void
}

/** The destination with its webhooks, or the choice of the first one. */
export function DestinationStep({
  source,
  destination,
  onSecret,
}: DestinationStepProps): ReactElement {
  const mayEdit = useMay('editor')
  if (destination !== undefined)
    return (
      <p>
        <Link
          to="/destinations/$id"
          params={{ id: destination.id }}
          className="text-accent underline"
        >
          {shownText(destination.name)}
        </Link>{' '}
        delivers to{' '}
        {destination.settings.webhooks.map(({ url }) => (
          <code key={url} className="text-dense mr-2">
            {shownText(url)}
          </code>
        ))}
      </p>
    )
  if (source === undefined)
    return <p className="text-ink-faint">The built-in inspector, or your own URL.</p>
  if (!mayEdit) return <p>There is no destination. Your role may not create one: ask an editor.</p>
  return <DestinationForm source={source} onSecret={onSecret} />
}

interface DestinationFormProps {
  readonly source: Source
  readonly onSecret: (secret: string) => void
}

function DestinationForm({ source, onSecret }: DestinationFormProps): ReactElement {
  const client = useQueryClient()
  const { data: inspector } = useQuery(inspectorQuery)
  const [choice, setChoice] = useState<'inspector' | 'own'>('inspector')
  const [own, setOwn] = useState('')
  const create = useMutation({
    mutationFn: async () => {
      const sharedSecret = newSecret()
      const url = choice === 'inspector' ? inspector!.url : own.trim()
      const name = choice === 'inspector' ? 'Inspector' : 'My webhook'
      const settings = { webhooks: [{ url }], sharedSecret }
      await api.createDestination({
        sourceId: source.id,
        type: 'Webhooks',
        name,
        enabled: true,
        settings,
      })
      onSecret(sharedSecret)
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ['destinations'] }),
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    create.mutate()
  }
  const fault = faultAt(create.error, '/settings/webhooks/0/url')
  return (
    <form onSubmit={submit} className="flex flex-col items-start gap-3">
      <fieldset className="flex flex-col gap-2">
        <legend className="sr-only">Where the events go</legend>
        <Choice
          words="The built-in inspector: it shows each request, and checks its signature"
          isChosen={choice === 'inspector'}
          onChoose={() => setChoice('inspector')}
        />
        <Choice words="My own URL" isChosen={choice === 'own'} onChoose={() => setChoice('own')} />
      </fieldset>
      {choice === 'own' && <OwnUrl url={own} fault={fault} onWrite={setOwn} />}
      <Button
        type="submit"
        look="main"
        isBusy={create.isPending}
        disabled={inspector === undefined}
      >
        Create the destination
      </Button>
      {create.error && fault === undefined && (
        <p className="text-failed">{problemOf(create.error).message}</p>
      )}
    </form>
  )
}

interface OwnUrlProps {
  readonly url: string
  readonly fault: string | undefined
  readonly onWrite: (url: string) => void
}

function OwnUrl({ url, fault, onWrite }: OwnUrlProps): ReactElement {
  return (
    <Field label="URL of your receiver" fault={fault} className="w-full max-w-md">
      {(ids) => (
        <TextInput
          {...ids}
          type="url"
          required
          placeholder="https://example.com/hooks"
          value={url}
          onChange={({ target }) => onWrite(target.value)}
        />
      )}
    </Field>
  )
}

interface ChoiceProps {
  readonly words: string
  readonly isChosen: boolean
  readonly onChoose: () => void
}

function Choice({ words, isChosen, onChoose }: ChoiceProps): ReactElement {
  return (
    <label className="flex items-start gap-2">
      <input
        type="radio"
        name="destination"
        className="accent-accent mt-1 size-4 shrink-0"
        checked={isChosen}
        onChange={onChoose}
      />
      {words}
    </label>
  )
}
