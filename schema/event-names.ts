/** AgentTierUpdated for agent.tier_updated. */
export function eventName(type: string): string {
  return type.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())
}

export const eventTypeName = (type: string): string => `${eventName(type)}Event`
