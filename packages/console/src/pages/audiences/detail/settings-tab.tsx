import { type FormEvent, type ReactElement, useState } from 'react'
import { errorAt, problemOf } from '../../../api/problem.ts'
import { useHasRole } from '../../../api/session.ts'
import { Button } from '../../../design/controls/button.tsx'
import { Checkbox, Field, TextInput } from '../../../design/controls/field.tsx'
import { FactList } from '../../../design/lists/fact-list.tsx'
import { Panel } from '../../../design/panel.tsx'
import { shownText } from '../../../format/shown-text.ts'
import type { Computation, ComputationProps } from '../record/computation-kind.ts'
import { DestinationPicker } from '../record/destination-picker.tsx'
import { useSave } from '../record/use-save.ts'
import { DeleteButton } from './delete-button.tsx'

export function SettingsTab({ kind, record }: ComputationProps): ReactElement {
  const canEdit = useHasRole('editor')
  // The form starts from the stored record when opened and after saving, not on every refetch.
  const [base, setBase] = useState(record)
  if (!canEdit)
    return (
      <Panel title="Settings">
        <FactList
          facts={[
            ['Name', shownText(record.name)],
            ['Enabled', record.enabled ? 'yes' : 'no'],
          ]}
        />
      </Panel>
    )
  return (
    <div className="flex flex-col gap-4">
      <Panel>
        <SettingsForm kind={kind} record={base} key={base.version} onSaved={setBase} />
      </Panel>
      <Panel title={`Delete ${kind.one}`}>
        <DeleteButton kind={kind} record={record} />
      </Panel>
    </div>
  )
}

interface SettingsFormProps extends ComputationProps {
  readonly onSaved: (record: Computation) => void
}

function SettingsForm({ kind, record, onSaved }: SettingsFormProps): ReactElement {
  const [name, setName] = useState(record.name)
  const [enabled, setEnabled] = useState(record.enabled)
  const [destinationIds, setDestinationIds] = useState(record.destinationIds)
  const save = useSave({ kind, record }, onSaved)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    save.mutate({ name, enabled, destinationIds })
  }
  return (
    <form onSubmit={submit} className="flex max-w-xl flex-col gap-4 pt-3">
      <Field
        label="Name"
        fieldError={errorAt(save.error, '/name')}
        hint="Renaming does not change the trait key."
      >
        {(ids) => (
          <TextInput {...ids} value={name} onChange={({ target }) => setName(target.value)} />
        )}
      </Field>
      <Checkbox label="Enabled: compute and send changes" checked={enabled} onToggle={setEnabled} />
      <DestinationPicker picked={destinationIds} onPick={setDestinationIds} error={save.error} />
      <p className="text-ink-faint text-note">
        Added destinations receive the current value of every user.
      </p>
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" variant="primary" isBusy={save.isPending}>
          Save
        </Button>
        {save.error !== null && (
          <p role="alert" className="text-failed">
            {problemOf(save.error).message}
          </p>
        )}
      </div>
    </form>
  )
}
