const hours = 12 - new Date().getUTCHours();

/** Where it is about noon: no day ends while tests run. */
export const NOON_ZONE = `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`;
