import { equalJson, type JsonObject } from '@hookline/protocol'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { problemOf } from '../../../api/problem.ts'
import { useMay } from '../../../api/session.ts'
import { Button } from '../../../design/controls/button.tsx'
import { JsonBlock } from '../../../design/texts/json-block.tsx'
import { Panel } from '../../../design/panel.tsx'
import { toast } from '../../../design/windows/toasts.tsx'
import { useUrlState } from '../../../shell/url-state.ts'
import { DefinitionEditor } from '../builder/definition-editor.tsx'
import { writingOf } from '../builder/writing.ts'
import { withText } from '../draft/definition-draft.ts'
import { type Computation, definitionOf } from '../record/computation-kind.ts'
import type { TabProps } from './tab-props.ts'

/** The definition, to read or to change. */
export function DefinitionTab(props: TabProps): ReactElement {
  const mayEdit = useMay('editor')
  const [start, setStart] = useState(props.record)
  if (mayEdit)
    return (
      <Editing
        {...props}
        record={start}
        key={start.version}
        onStored={setStart}
        stored={props.record}
      />
    )
  return (
    <Panel title="As JSON">
      <JsonBlock value={definitionOf(props.record)} what={`the ${props.kind.definitionWord}`} />
    </Panel>
  )
}

interface EditingProps extends TabProps {
  /** What is stored now: `record` is what the change is based on. */
  readonly stored: Computation
  readonly onStored: (record: Computation) => void
}

function Editing({ kind, record, stored, onStored }: EditingProps): ReactElement {
  const [{ form }, setUrl] = useUrlState<'form'>()
  const { notation } = writingOf(kind)
  const storedText = JSON.stringify(definitionOf(record), null, 2)
  const [value, setValue] = useState(() => withText(notation, storedText))
  const save = useSaving({ kind, record, stored, onStored })
  const isChanged = !equalJson(value.json, definitionOf(record))
  const error = save.variables === value.json ? save.error : null
  return (
    <div className="flex flex-col gap-4">
      <DefinitionEditor
        kind={kind}
        space={record.space}
        ownId={record.id}
        value={value}
        onChange={setValue}
        faults={error === null ? [] : problemOf(error).errors}
        form={form === 'json' ? 'json' : 'inputs'}
        onForm={(next) => setUrl({ form: next === 'json' ? next : undefined })}
      />
      <footer className="flex flex-wrap items-center gap-3">
        <Button
          look="main"
          isBusy={save.isPending}
          disabled={!isChanged || value.json === undefined}
          onClick={() => save.mutate(value.json as JsonObject)}
        >
          Save the {kind.definitionWord}
        </Button>
        {(isChanged || stored.version !== record.version) && (
          <Button
            onClick={() => {
              setValue(withText(notation, storedText))
              onStored(stored)
            }}
          >
            Discard changes
          </Button>
        )}
        {error === null ? (
          <p className="text-ink-soft text-dense">
            A change starts a sync. Destinations are told only of users whose value changes.
          </p>
        ) : (
          <p role="alert" className="text-failed">
            {problemOf(error).message}
          </p>
        )}
      </footer>
    </div>
  )
}

function useSaving({ kind, record, onStored }: EditingProps) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (definition: JsonObject) =>
      kind.change(record.id, { [kind.definition]: definition }, record.version),
    onSuccess: (changed) => {
      client.setQueryData([kind.resource, record.id], changed)
      toast('Saved. A sync evaluates all users.')
      onStored(changed)
    },
  })
}
