/** Where the DRM rules of a container are read and changed (service-api.md, end points 7 and 8). */
export const RULES_URL = '/containers/{containerId}/drm';
