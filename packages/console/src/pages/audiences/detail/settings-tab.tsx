import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactElement, useState } from 'react'
import { faultAt, problemOf } from '../../../api/problem.ts'
import { useMay } from '../../../api/session.ts'
import { Button } from '../../../design/controls/button.tsx'
import { Checkbox, Field, TextInput } from '../../../design/controls/field.tsx'
import { FactList } from '../../../design/lists/fact-list.tsx'
import { Panel } from '../../../design/panel.tsx'
import { toast } from '../../../design/windows/toasts.tsx'
import { shownText } from '../../../format/shown-text.ts'
import type { Computation } from '../record/computation-kind.ts'
import { DestinationPicker } from '../record/destination-picker.tsx'
import { DeleteButton } from './delete-button.tsx'
import type { TabProps } from './tab-props.ts'

/** Its name, its destinations, whether it is on, and its end. */
export function SettingsTab(props: TabProps): ReactElement {
  const mayEdit = useMay('editor')
  // The form begins with what is stored when it is opened, and again after it was saved.
  const [start, setStart] = useState(props.record)
  if (!mayEdit) return <ReadOnly {...props} />
  return (
    <div className="flex flex-col gap-4">
      <Panel>
        <SettingsForm {...props} record={start} key={start.version} onStored={setStart} />
      </Panel>
      <Panel title={`Delete the ${props.kind.one}`}>
        <DeleteButton {...props} />
      </Panel>
    </div>
  )
}

function ReadOnly({ record }: TabProps): ReactElement {
  return (
    <Panel>
      <div className="pt-3">
        <FactList
          facts={[
            ['Name', shownText(record.name)],
            ['Enabled', record.enabled ? 'yes' : 'no'],
          ]}
        />
      </div>
    </Panel>
  )
}

interface SettingsFormProps extends TabProps {
  readonly onStored: (record: Computation) => void
}

function SettingsForm({ kind, record, onStored }: SettingsFormProps): ReactElement {
  const [name, setName] = useState(record.name)
  const [enabled, setEnabled] = useState(record.enabled)
  const [destinationIds, setDestinationIds] = useState(record.destinationIds)
  const client = useQueryClient()
  const save = useMutation({
    mutationFn: () => kind.change(record.id, { name, enabled, destinationIds }, record.version),
    onSuccess: (changed) => {
      client.setQueryData([kind.resource, record.id], changed)
      toast('Saved.')
      onStored(changed)
    },
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <form onSubmit={submit} className="flex max-w-xl flex-col gap-4 pt-3">
      <Field
        label="Name"
        fault={faultAt(save.error, '/name')}
        hint="The key of the trait stays as it is: receivers know it."
      >
        {(ids) => (
          <TextInput {...ids} value={name} onChange={({ target }) => setName(target.value)} />
        )}
      </Field>
      <Checkbox
        label="Enabled. While it is off, nothing is computed and nothing is sent."
        checked={enabled}
        onToggle={setEnabled}
      />
      <DestinationPicker picked={destinationIds} onPick={setDestinationIds} error={save.error} />
      <p className="text-ink-faint text-note">
        A destination that is added gets the value of every user.
      </p>
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" look="main" isBusy={save.isPending}>
          Save the settings
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
