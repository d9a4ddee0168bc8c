import { formStyles as css } from '../../form/form.tsx'
import { CAPABILITIES } from '../../api/enums.ts'
import styles from './page.module.css'

interface CapabilitiesProps {
  readonly value: bigint
  readonly onChange: (value: bigint) => void
}

/** What the agent says it can do. */
export function Capabilities({ value, onChange }: CapabilitiesProps) {
  return (
    <fieldset className={css.choices}>
      <legend>Capabilities</legend>
      <div className={styles.capabilities}>
        {CAPABILITIES.map((name, i) => {
          const bit = 1n << BigInt(i)
          return (
            <label key={name} className={css.choice}>
              <input type="checkbox" checked={(value & bit) !== 0n} onChange={() => onChange(value ^ bit)} />
              {name}
            </label>
          )
        })}
      </div>
    </fieldset>
  )
}
