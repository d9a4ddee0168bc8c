import { quoted } from '../../../../domain/quoted.ts'
import { type Check, fail, pass } from '../result.ts'
import { isObject, type JsonObject } from '../strict-json.ts'

/** The one subject is the agent. */
export function checkSubject({ credentialSubject }: JsonObject, agentDid: string): Check {
  if (!isObject(credentialSubject)) {
    const given = Array.isArray(credentialSubject) ? 'a list' : 'missing or no object'
    return fail('subject', `credentialSubject must be one object with the agent's DID as id; it is ${given}`)
  }
  const { id } = credentialSubject
  if (id !== agentDid) {
    const given = id === undefined ? 'missing' : quoted(id)
    return fail('subject', `credentialSubject.id must be ${agentDid}; it is ${given}`)
  }
  return pass('subject', `credentialSubject is ${agentDid}`)
}
