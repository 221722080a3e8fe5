import { equalJson } from '@hookline/protocol'
import { type ReactElement, useState } from 'react'
import { problemOf } from '../../../api/problem.ts'
import { useHasRole } from '../../../api/session.ts'
import { Button } from '../../../design/controls/button.tsx'
import { Panel } from '../../../design/panel.tsx'
import { JsonBlock } from '../../../design/texts/json-block.tsx'
import { DefinitionEditor } from '../builder/definition-editor.tsx'
import { withText } from '../../../domain/conditions/draft/definition-draft.ts'
import {
  type Computation,
  type ComputationProps,
  definitionOf,
} from '../record/computation-kind.ts'
import { useSave } from '../record/use-save.ts'

/** The definition, editable if the role permits. */
export function DefinitionTab({ kind, record }: ComputationProps): ReactElement {
  const canEdit = useHasRole('editor')
  const [base, setBase] = useState(record)
  if (canEdit)
    return <Editing kind={kind} record={base} key={base.version} onBase={setBase} stored={record} />
  return (
    <Panel title={kind.definitionLabel}>
      <JsonBlock value={definitionOf(record)} what="the JSON" />
    </Panel>
  )
}

interface EditingProps extends ComputationProps {
  /** The latest version; `record` is the one being edited. */
  readonly stored: Computation
  readonly onBase: (record: Computation) => void
}

function Editing({ kind, record, stored, onBase }: EditingProps): ReactElement {
  const definition = definitionOf(record)
  const initial = withText(kind.notation, JSON.stringify(definition, null, 2))
  const [value, setValue] = useState(initial)
  const save = useSave({ kind, record }, onBase)
  const isChanged = !equalJson(value.json, definition)
  const error = save.variables?.[kind.definition] === value.json ? save.error : null
  return (
    <div className="flex flex-col gap-4">
      <DefinitionEditor
        kind={kind}
        space={record.space}
        ownId={record.id}
        value={value}
        onChange={setValue}
        error={error}
      />
      <footer className="flex flex-wrap items-center gap-3">
        <Button
          variant="primary"
          isBusy={save.isPending}
          disabled={!isChanged || value.json === undefined}
          onClick={() => save.mutate({ [kind.definition]: value.json })}
        >
          Save
        </Button>
        {(isChanged || stored.version !== record.version) && (
          <Button
            onClick={() => {
              setValue(initial)
              onBase(stored)
            }}
          >
            Discard changes
          </Button>
        )}
        {error === null ? (
          <p className="text-ink-soft text-dense">
            Saving starts a sync. Only changed values are sent.
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
