import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactElement, useState } from 'react'
import { api } from '../../../api/client.ts'
import type { Destination } from '@hookline/cli/management-client'
import { faultAt, problemOf } from '../../../api/problem.ts'
import { Button } from '../../../design/controls/button.tsx'
import { Checkbox, Field, TextInput } from '../../../design/controls/field.tsx'
import { Panel } from '../../../design/panel.tsx'
import { toast } from '../../../design/windows/toasts.tsx'
import { Warnings } from '../../../domain/destinations/warnings.tsx'
import { OtherFaults } from '../form/other-faults.tsx'
import { PolicyChoice } from '../form/policy-choice.tsx'
import { hasRepeatedHeader } from '../form/webhook-drafts.ts'
import { WebhooksEditor } from '../form/webhooks-editor.tsx'
import {
  type Change,
  changeOf,
  draftOf,
  isEmpty,
  type SettingsDraft,
  savedWords,
} from './settings-draft.ts'

interface SettingsFormProps {
  readonly destination: Destination
}

/** Name, webhooks and policy. What others change meanwhile is taken over, or asked about. */
export function SettingsForm({ destination }: SettingsFormProps): ReactElement {
  const { base, draft, setDraft, isStale, takeTheirs, keepMine } = useDraft(destination)
  const client = useQueryClient()
  const save = useMutation({
    mutationFn: (change: Change) =>
      api.changeDestination(base.id, change, { ifMatch: `"${base.version}"` }),
    onSuccess: async (changed, change) => {
      takeTheirs(changed)
      toast(savedWords(change))
      await client.invalidateQueries({ queryKey: ['destinations'] })
    },
    onError: (error) => {
      // Somebody was faster: what is stored now is shown beside what was written here.
      if (problemOf(error).status === 412)
        void client.invalidateQueries({ queryKey: ['destinations'] })
    },
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    save.mutate(changeOf(draft, base))
  }
  const isUnchanged = isEmpty(changeOf(draft, base))
  const error = isStale ? null : save.error
  return (
    <Panel title="Settings">
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Fields draft={draft} onChange={setDraft} error={error} />
        <OtherFaults error={error} />
        <Warnings warnings={save.data?.warnings} />
        {isStale && (
          <Conflict onTheirs={() => takeTheirs(destination)} onMine={() => keepMine(destination)} />
        )}
        <footer className="flex flex-wrap items-center gap-2">
          <Button
            type="submit"
            look="main"
            isBusy={save.isPending}
            disabled={isUnchanged || isStale || hasRepeatedHeader(draft.webhooks)}
          >
            Save
          </Button>
          {!isUnchanged && <Button onClick={() => takeTheirs(destination)}>Undo my changes</Button>}
        </footer>
      </form>
    </Panel>
  )
}

interface Draft {
  /** The version that the draft began with. */
  readonly base: Destination
  readonly draft: SettingsDraft
  readonly setDraft: (draft: SettingsDraft) => void
  /** Whether the destination has changed since, and the draft says something else. */
  readonly isStale: boolean
  readonly takeTheirs: (current: Destination) => void
  readonly keepMine: (current: Destination) => void
}

function useDraft(destination: Destination): Draft {
  const [base, setBase] = useState(destination)
  const [draft, setDraft] = useState(() => draftOf(destination))
  const takeTheirs = (current: Destination): void => {
    setBase(current)
    setDraft(draftOf(current))
  }
  const isNewer = destination.version > base.version
  const isUntouched = isEmpty(changeOf(draft, base))
  const isSame = isNewer && isEmpty(changeOf(draftOf(destination), base))
  // A form that nobody has touched follows every change; one that was touched, a change that is none here, such as a pause.
  if (isNewer && isUntouched) takeTheirs(destination)
  else if (isSame) setBase(destination)
  return {
    base,
    draft,
    setDraft,
    isStale: isNewer && !isUntouched && !isSame,
    takeTheirs,
    keepMine: setBase,
  }
}

interface FieldsProps {
  readonly draft: SettingsDraft
  readonly onChange: (draft: SettingsDraft) => void
  readonly error: unknown
}

function Fields({ draft, onChange, error }: FieldsProps): ReactElement {
  return (
    <>
      <Field label="Name" fault={faultAt(error, '/name')} className="max-w-md">
        {(ids) => (
          <TextInput
            {...ids}
            value={draft.name}
            onChange={({ target }) => onChange({ ...draft, name: target.value })}
          />
        )}
      </Field>
      <Checkbox
        label="Enabled. While it is off, new events are not delivered; you can replay them later."
        checked={draft.enabled}
        onToggle={(enabled) => onChange({ ...draft, enabled })}
      />
      <WebhooksEditor
        drafts={draft.webhooks}
        error={error}
        onChange={(webhooks) => onChange({ ...draft, webhooks })}
      />
      {draft.webhooks.length > 1 && (
        <PolicyChoice policy={draft.policy} onChange={(policy) => onChange({ ...draft, policy })} />
      )}
    </>
  )
}

interface ConflictProps {
  readonly onTheirs: () => void
  readonly onMine: () => void
}

function Conflict({ onTheirs, onMine }: ConflictProps): ReactElement {
  return (
    <div role="alert" className="bg-retrying-soft rounded-small flex flex-col gap-2 px-3 py-2">
      <p>
        Somebody else has changed this destination since you began. Take what is stored now, or keep
        what you have written: saving it then replaces theirs.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button onClick={onTheirs}>Take theirs</Button>
        <Button onClick={onMine}>Keep mine</Button>
      </div>
    </div>
  )
}
