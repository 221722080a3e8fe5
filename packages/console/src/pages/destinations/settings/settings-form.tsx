import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactElement, useState } from 'react'
import { api } from '../../../api/client.ts'
import type { Destination } from '@hookline/cli/management-client'
import { errorAt } from '../../../api/problem.ts'
import { Button } from '../../../design/controls/button.tsx'
import { Checkbox, Field, TextInput } from '../../../design/controls/field.tsx'
import { toast } from '../../../design/dialogs/toasts.tsx'
import { Warnings } from '../../../domain/destinations/warnings.tsx'
import { FormError } from '../form/form-error.tsx'
import { hasRepeatedHeader } from '../form/webhook-drafts.ts'
import { WebhooksEditor } from '../form/webhooks-editor.tsx'
import {
  type DestinationChange,
  changeOf,
  draftOf,
  isEmpty,
  type SettingsDraft,
  describeChange,
} from './settings-draft.ts'

interface SettingsFormProps {
  readonly destination: Destination
}

export function SettingsForm({ destination }: SettingsFormProps): ReactElement {
  const { base, setBase, draft, setDraft, isStale, reset } = useDraft(destination)
  const client = useQueryClient()
  const save = useMutation({
    mutationFn: (change: DestinationChange) =>
      api.changeDestination(base.id, change, { ifMatch: `"${base.version}"` }),
    onSuccess: (changed, change) => {
      reset(changed)
      toast(describeChange(change))
    },
    // After a conflict, this loads the other change.
    onSettled: () => client.invalidateQueries({ queryKey: ['destinations'] }),
  })
  const change = changeOf(draft, base)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    save.mutate(change)
  }
  const error = isStale ? null : save.error
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <Field label="Name" fieldError={errorAt(error, '/name')} className="max-w-md">
        {(ids) => (
          <TextInput
            {...ids}
            value={draft.name}
            onChange={({ target }) => setDraft({ ...draft, name: target.value })}
          />
        )}
      </Field>
      <Checkbox
        label="Enabled: deliver new events. Events received while disabled can be replayed later."
        checked={draft.enabled}
        onToggle={(enabled) => setDraft({ ...draft, enabled })}
      />
      <WebhooksEditor
        draft={draft}
        error={error}
        onChange={(part) => setDraft({ ...draft, ...part })}
      />
      <FormError error={error} />
      <Warnings warnings={save.data?.warnings} />
      {isStale && (
        <Conflict onDiscard={() => reset(destination)} onKeep={() => setBase(destination)} />
      )}
      <footer className="flex flex-wrap items-center gap-2">
        <Button
          type="submit"
          variant="primary"
          isBusy={save.isPending}
          disabled={isEmpty(change) || isStale || hasRepeatedHeader(draft.webhooks)}
        >
          Save
        </Button>
        {!isEmpty(change) && <Button onClick={() => reset(destination)}>Discard changes</Button>}
      </footer>
    </form>
  )
}

interface Draft {
  /** The version that the draft is based on. */
  readonly base: Destination
  readonly setBase: (current: Destination) => void
  readonly draft: SettingsDraft
  readonly setDraft: (draft: SettingsDraft) => void
  /** Whether the destination has changed since, and the draft differs from it. */
  readonly isStale: boolean
  readonly reset: (current: Destination) => void
}

function useDraft(destination: Destination): Draft {
  const [base, setBase] = useState(destination)
  const [draft, setDraft] = useState(() => draftOf(destination))
  const reset = (current: Destination): void => {
    setBase(current)
    setDraft(draftOf(current))
  }
  const isNewer = destination.version > base.version
  const isUntouched = isEmpty(changeOf(draft, base))
  const isSame = isNewer && isEmpty(changeOf(draftOf(destination), base))
  // An untouched form follows every change; a touched one follows only changes to other fields, such as a pause.
  if (isNewer && isUntouched) reset(destination)
  else if (isSame) setBase(destination)
  return { base, setBase, draft, setDraft, isStale: isNewer && !isUntouched && !isSame, reset }
}

interface ConflictProps {
  readonly onDiscard: () => void
  readonly onKeep: () => void
}

function Conflict({ onDiscard, onKeep }: ConflictProps): ReactElement {
  return (
    <div role="alert" className="bg-retrying-soft rounded-small flex flex-col gap-2 px-3 py-2">
      <p>
        Someone else changed this destination. If you keep your changes, saving overwrites theirs.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button onClick={onDiscard}>Discard my changes</Button>
        <Button onClick={onKeep}>Keep my changes</Button>
      </div>
    </div>
  )
}
