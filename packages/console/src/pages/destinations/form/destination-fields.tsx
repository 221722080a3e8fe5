import { type ReactElement, useId } from 'react'
import type { Source } from '@hookline/cli/management-client'
import { faultAt } from '../../../api/problem.ts'
import { Button } from '../../../design/controls/button.tsx'
import { Checkbox, Field, Select, TextInput } from '../../../design/controls/field.tsx'
import { Choice } from '../../../design/controls/choice.tsx'
import { shownText } from '../../../format/shown-text.ts'
import { OtherFaults } from './other-faults.tsx'
import type { DestinationDraft } from './new-destination-draft.ts'
import { PolicyChoice } from './policy-choice.tsx'
import { SecretChoice } from './secret-choice.tsx'
import { WebhooksEditor } from './webhooks-editor.tsx'

interface DestinationFieldsProps {
  readonly draft: DestinationDraft
  readonly onChange: (draft: DestinationDraft) => void
  readonly sources: readonly Source[]
  readonly hasInspector: boolean
  readonly error: unknown
  readonly isBusy: boolean
  readonly mayCreate: boolean
  readonly onClose: () => void
}

/** Everything that a new destination needs. */
export function DestinationFields(props: DestinationFieldsProps): ReactElement {
  const { draft, onChange, error, hasInspector } = props
  const change = (part: Partial<DestinationDraft>): void => onChange({ ...draft, ...part })
  return (
    <div className="flex flex-col gap-5">
      <SourceAndName {...props} />
      {hasInspector && <Target draft={draft} onChange={change} />}
      {draft.target === 'own' && (
        <WebhooksEditor
          drafts={draft.webhooks}
          error={error}
          onChange={(webhooks) => change({ webhooks })}
        />
      )}
      {draft.target === 'own' && draft.webhooks.length > 1 && (
        <PolicyChoice policy={draft.policy} onChange={(policy) => change({ policy })} />
      )}
      <SecretChoice
        draft={draft.secret}
        mayBeNone
        fault={faultAt(error, '/settings/sharedSecret')}
        onChange={(secret) => change({ secret })}
      />
      <Checkbox
        label="Deliver new events at once. Without it, the destination is made disabled: its events are kept, and can be replayed."
        checked={draft.enabled}
        onToggle={(enabled) => change({ enabled })}
      />
      <OtherFaults error={error} />
      <footer className="flex justify-end gap-2">
        <Button onClick={props.onClose}>Cancel</Button>
        <Button type="submit" look="main" isBusy={props.isBusy} disabled={!props.mayCreate}>
          Create the destination
        </Button>
      </footer>
    </div>
  )
}

function SourceAndName(props: DestinationFieldsProps): ReactElement {
  const { draft, onChange, sources, error } = props
  return (
    <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
      <Field
        label="Source"
        hint="Its events are sent. It cannot be changed later."
        fault={faultAt(error, '/sourceId')}
      >
        {(ids) => (
          <Select
            {...ids}
            className="w-full"
            value={draft.sourceId}
            onPick={(sourceId) => onChange({ ...draft, sourceId })}
            options={sources.map(({ id, name }) => [id, shownText(name, 60)] as const)}
          />
        )}
      </Field>
      <Field label="Name" hint="Left empty, it is the host." fault={faultAt(error, '/name')}>
        {(ids) => (
          <TextInput
            {...ids}
            value={draft.name}
            onChange={({ target }) => onChange({ ...draft, name: target.value })}
          />
        )}
      </Field>
    </div>
  )
}

interface TargetProps {
  readonly draft: DestinationDraft
  readonly onChange: (part: Partial<DestinationDraft>) => void
}

function Target({ draft, onChange }: TargetProps): ReactElement {
  const group = useId()
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="text-dense mb-1 font-medium">Where the events go</legend>
      <Choice
        group={group}
        label="My own URLs"
        isChosen={draft.target === 'own'}
        onChoose={() => onChange({ target: 'own' })}
      />
      <Choice
        group={group}
        label="Use the built-in inspector"
        hint="It shows each request and checks its signature, without a receiver of yours."
        isChosen={draft.target === 'inspector'}
        onChoose={() => onChange({ target: 'inspector' })}
      />
    </fieldset>
  )
}
